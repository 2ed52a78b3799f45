namespace Ambrosia.Hosting;

/// <summary>The secret that the coordinator may ask for.</summary>
internal static class LinkToken
{
    /// <summary>The secret as it is now: a file may be replaced between two attachments.</summary>
    /// <exception cref="CoordinatorUnavailableException">The file cannot be read.</exception>
    public static string Of(ImmortalOptions options)
    {
        if (options.TokenFile.Length == 0)
        {
            return options.Token;
        }

        try
        {
            return File.ReadAllText(options.TokenFile).Trim();
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new CoordinatorUnavailableException(
                $"The file with the coordinator's token cannot be read: {error.Message} (--token-file, AMBROSIA_TOKEN_FILE).");
        }
    }
}
