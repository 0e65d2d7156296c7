# nagomi's shell integration for fish 3: tells where a prompt begins and how each command ended, by
# OSC 133; fish 4 does so itself. nagomi starts an interactive fish with it as its --init-command,
# after your own configuration. The setting shell_integration turns it off.

# On a hand, a program `nagomi` is last on PATH, whatever your own files have made of that.
if set -q NAGOMI_BIN; and not contains -- $NAGOMI_BIN $PATH
    set -gx PATH $PATH $NAGOMI_BIN
end

if status is-interactive
    and test (string split -m 1 . -- $version)[1] -lt 4
    and not functions -q iterm2_prompt_mark __nagomi_prompt
    and not functions fish_prompt | string match -q '*]133;*'

    function __nagomi_prompt --on-event fish_prompt
        builtin printf '\e]133;A\a'
    end

    function __nagomi_runs --on-event fish_preexec
        builtin printf '\e]133;C\a'
    end

    function __nagomi_ended --on-event fish_postexec
        builtin printf '\e]133;D;%s\a' $status
    end
end
