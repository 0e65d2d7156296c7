# nagomi's shell integration for bash 4.4 and newer: tells where a prompt begins and ends, and how
# each command ended, by OSC 133. nagomi starts an interactive shell with this as its --rcfile, or,
# for a login shell, as ENV of its POSIX mode. Your own files are read first, as always.
# The setting shell_integration turns it off.

if [[ -n ${NAGOMI_BASH_LOGIN-} ]]; then
  builtin set +o posix
  builtin shopt -u inherit_errexit 2>/dev/null
  builtin unset NAGOMI_BASH_LOGIN ENV
  if [[ -n ${NAGOMI_BASH_ENV+x} ]]; then
    builtin export ENV="$NAGOMI_BASH_ENV"
    builtin unset NAGOMI_BASH_ENV
  fi
  # POSIX mode keeps its history elsewhere.
  [[ ${HISTFILE-} != "$HOME/.sh_history" ]] || HISTFILE=$HOME/.bash_history
  [[ ! -r /etc/profile ]] || builtin source /etc/profile
  if [[ -r $HOME/.bash_profile ]]; then
    builtin source "$HOME/.bash_profile"
  elif [[ -r $HOME/.bash_login ]]; then
    builtin source "$HOME/.bash_login"
  elif [[ -r $HOME/.profile ]]; then
    builtin source "$HOME/.profile"
  fi
elif [[ -r $HOME/.bashrc ]]; then
  builtin source "$HOME/.bashrc"
fi

# On a hand, a program `nagomi` is last on PATH, whatever these files have made of that.
if [[ -n ${NAGOMI_BIN-} && :$PATH: != *":$NAGOMI_BIN:"* ]]; then
  PATH=$PATH:$NAGOMI_BIN
fi

# Without a line editor that has PS0, and where somebody marks already, nothing is added.
if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) && builtin shopt -q promptvars &&
  [[ "$(builtin declare -f)${PS0-}${PS1-}${PROMPT_COMMAND[*]-}" != *']133;'* ]]; then

  __nagomi_osc=$'\e]133;'
  __nagomi_c=$'\e]133;C\a'
  __nagomi_ready=0
  __nagomi_ran=0

  # First of all that happens before a prompt: the last command has ended.
  __nagomi_before() {
    local status=$?
    if ((__nagomi_ran)); then
      builtin printf '%sD;%s\a' "$__nagomi_osc" "$status"
    fi
    builtin printf '%sA\a' "$__nagomi_osc"
    __nagomi_ran=0
    __nagomi_ready=1
    return "$status"
  }

  # Last of it: the prompt is as others want it. PS0 is shown before a command runs; C goes out
  # only where __nagomi_before will come after it, or nobody would ever tell its end.
  __nagomi_after() {
    local status=$?
    if [[ ${PS1-} != *"${__nagomi_osc}B"* ]]; then
      PS1="${PS1-}\[${__nagomi_osc}B"$'\a'"\]"
    fi
    if [[ ${PS0-} != *__nagomi_c* ]]; then
      PS0="${PS0-}"'${__nagomi_c:0:$((__nagomi_ran=__nagomi_ready, __nagomi_ready=0, 8*__nagomi_ran))}'
    fi
    return "$status"
  }

  builtin export -n PROMPT_COMMAND 2>/dev/null
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then
    PROMPT_COMMAND=(__nagomi_before "${PROMPT_COMMAND[@]}" __nagomi_after)
  else
    PROMPT_COMMAND=$'__nagomi_before\n'"${PROMPT_COMMAND-}"$'\n__nagomi_after'
  fi
fi
