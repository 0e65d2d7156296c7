# nagomi starts an interactive zsh with ZDOTDIR naming this folder. ZDOTDIR becomes yours again at
# once, your own .zshenv is read, and zsh finds all your other files by itself.

'builtin' 'typeset' -g __nagomi_folder="${${(%):-%x}:A:h}"
if [[ -n "${NAGOMI_ZDOTDIR+x}" ]]; then
  'builtin' 'export' ZDOTDIR="$NAGOMI_ZDOTDIR"
  'builtin' 'unset' 'NAGOMI_ZDOTDIR'
else
  'builtin' 'unset' 'ZDOTDIR'
fi

{
  [[ ! -r "${ZDOTDIR-$HOME}/.zshenv" ]] || 'builtin' 'source' "${ZDOTDIR-$HOME}/.zshenv"
} always {
  [[ ! -o 'interactive' ]] || 'builtin' 'source' "$__nagomi_folder/nagomi.zsh"
  'builtin' 'unset' '__nagomi_folder'
}
