# nagomi's shell integration for zsh: tells where a prompt begins and ends, and how each command
# ended, by OSC 133. It begins its work at the first prompt, when your own files have been read.
# The setting shell_integration turns it off.

'builtin' 'typeset' -g __nagomi_osc=$'\e]133;'
'builtin' 'typeset' -gi __nagomi_ran=0

__nagomi_init() {
  'builtin' 'emulate' -L zsh
  precmd_functions=(${precmd_functions:#__nagomi_init})
  # On a hand, a program `nagomi` is last on PATH, whatever your files have made of that.
  [[ -z "$NAGOMI_BIN" || ":$PATH:" == *":$NAGOMI_BIN:"* ]] || PATH+=":$NAGOMI_BIN"
  # Where somebody marks already, nothing is added.
  if [[ "${(j::)functions}$PS1" == *"${__nagomi_osc#?}"* ]]; then
    'builtin' 'unset' -f __nagomi_first __nagomi_last __nagomi_runs
  else
    precmd_functions=(__nagomi_first $precmd_functions __nagomi_last)
    preexec_functions+=(__nagomi_runs)
    __nagomi_first
    __nagomi_last
  fi
  'builtin' 'unfunction' __nagomi_init
}

# The last command has ended.
__nagomi_first() {
  'builtin' 'local' -i code=$?
  'builtin' 'emulate' -L zsh
  (( __nagomi_ran )) && 'builtin' 'print' -n -- "${__nagomi_osc}D;$code"$'\a'
  __nagomi_ran=0
  'builtin' 'print' -n -- "${__nagomi_osc}A"$'\a'
}

# The prompt is as others want it.
__nagomi_last() {
  'builtin' 'emulate' -L zsh
  [[ "$PS1" == *"${__nagomi_osc}B"* ]] || PS1+="%{${__nagomi_osc}B"$'\a'"%}"
}

__nagomi_runs() {
  'builtin' 'emulate' -L zsh
  __nagomi_ran=1
  'builtin' 'print' -n -- "${__nagomi_osc}C"$'\a'
}

'builtin' 'typeset' -ga precmd_functions preexec_functions
precmd_functions+=(__nagomi_init)
