using Ambrosia.LogStore.Errors;

namespace Ambrosia.LogStore.Leases;

/// <summary>Where a store's secret comes from: never from its URI, which stands in command lines, process lists and logs.</summary>
/// <param name="environment">Value of an environment variable, or null.</param>
public sealed class StoreSecret(Func<string, string?> environment)
{
    private const string FileVariable = "AMBROSIA_STORE_SECRET_FILE";

    /// <summary>The secret as it is now; null when none was given. Read each time, so that it can be changed without a restart.</summary>
    public string? Read(string variable)
    {
        if (environment(FileVariable) is not { Length: > 0 } file)
        {
            return environment(variable) is { Length: > 0 } value ? value : null;
        }

        try
        {
            return File.ReadAllText(file).Trim();
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new LogStoreException(StoreErrors.StoreRefuses,
                $"the file with the store's secret cannot be read: {error.GetType().Name}", file, "nothing was touched",
                $"correct {FileVariable}, or let this user read the file", error);
        }
    }
}
