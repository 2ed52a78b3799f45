using System.CommandLine;

namespace Ambrosia.Cli.Commands;

/// <summary>One verb of the command.</summary>
internal interface IVerb
{
    /// <summary>Name, options, help and action.</summary>
    Command Build();
}
