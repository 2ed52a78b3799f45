using System.CommandLine;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;

namespace Ambrosia.Cli.Verbs;

/// <summary><c>ambrosia completion bash|zsh|fish</c></summary>
internal sealed class CompletionVerb(Terminal terminal) : IVerb
{
    // The command completes its own lines: the shell only asks it, by a directive that System.CommandLine answers.
    private const string Bash = """
        _ambrosia() {
          local words
          words=$(ambrosia "[suggest:${COMP_POINT}]" "${COMP_LINE#* }" 2>/dev/null)
          COMPREPLY=( $(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}") )
        }
        complete -o default -F _ambrosia ambrosia
        """;

    private const string Zsh = """
        _ambrosia() {
          local -a words
          words=(${(f)"$(ambrosia "[suggest:$CURSOR]" "${BUFFER#* }" 2>/dev/null)"})
          compadd -- $words
        }
        compdef _ambrosia ambrosia
        """;

    private const string Fish = """
        complete -c ambrosia -a '(ambrosia "[suggest]" (commandline -cp | string replace -r "^ambrosia " "") 2>/dev/null)'
        """;

    private readonly Argument<string> _shell = new("shell") { Description = "bash, zsh or fish." };

    public Command Build()
    {
        _shell.AcceptOnlyFromAmong("bash", "zsh", "fish");
        var command = new Command("completion",
            "Print what a shell needs to complete this command.\n\nExample: eval \"$(ambrosia completion bash)\"") { _shell };
        command.SetAction(parsed =>
        {
            terminal.Line(parsed.GetValue(_shell) switch { "bash" => Bash, "zsh" => Zsh, _ => Fish });
            return (int)CommandExit.Done;
        });
        return command;
    }
}
