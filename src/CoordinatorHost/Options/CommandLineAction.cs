namespace Ambrosia.CoordinatorHost.Options;

/// <summary>What the command line asks for.</summary>
public enum CommandLineAction
{
    /// <summary>Run the coordinator.</summary>
    Run,

    /// <summary>Print the options.</summary>
    Help,

    /// <summary>Print the version.</summary>
    Version,

    /// <summary>Print each option's value and origin.</summary>
    PrintConfig,

    /// <summary>Print the token of the admin address.</summary>
    PrintAdminToken,
}
