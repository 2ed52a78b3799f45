using System.CommandLine;

namespace Ambrosia.Cli.Commands;

/// <summary>One verb of the command.</summary>
internal interface IVerb
{
    /// <summary>Name, options, help and action.</summary>
    Command Build();

    /// <summary>Whether an option that all verbs have means something to this one; else its help does not show it.</summary>
    bool Uses(Option common) => true;
}
