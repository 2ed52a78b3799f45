using Ambrosia.Coordinator.Errors;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;

namespace Ambrosia.CoordinatorHost.Places;

/// <summary>The token of the admin address.</summary>
public static class AdminToken
{
    /// <summary>What requests must show; empty if nothing.</summary>
    /// <exception cref="CoordinatorException">The file cannot be used (IC-1008).</exception>
    public static string Of(CoordinatorOptions options, IEntropy entropy) => options.AdminTokenFile.Length == 0
        ? ""
        : TokenFile.LoadOrMake(options.AdminTokenFile, "--admin-token-file", groupMayRead: false, entropy);

    /// <summary>The same for a person who asks for it: there must be one.</summary>
    /// <exception cref="OptionsException">The address asks for none.</exception>
    /// <exception cref="CoordinatorException">The file cannot be used (IC-1008).</exception>
    public static string Print(CoordinatorOptions options, IEntropy entropy) => Of(options, entropy) is { Length: > 0 } token
        ? token
        : throw new OptionsException(
            [new(ProcessErrors.OptionsContradict, "the admin address asks for no token", "--print-admin-token",
                "give the options of one on a port")]);
}
