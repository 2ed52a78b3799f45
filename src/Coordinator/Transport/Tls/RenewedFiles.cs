namespace Ambrosia.Coordinator.Transport.Tls;

/// <summary>How files that somebody replaces are read for the first time.</summary>
public static class RenewedFiles
{
    private const int Attempts = 10;
    private static readonly TimeSpan s_between = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// Reads them, and again for a second while they do not fit together: certificate and key are two files, and may be replaced one after
    /// the other just now.
    /// </summary>
    /// <param name="read">Reads them. A <see cref="FormatException"/>, or one inside, says that they do not fit.</param>
    /// <param name="time">Clock.</param>
    public static async ValueTask<T> LoadAsync<T>(Func<T> read, TimeProvider time)
    {
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                return read();
            }
            catch (Exception error) when (error is FormatException or { InnerException: FormatException } && attempt < Attempts)
            {
                await Task.Delay(s_between, time);
            }
        }
    }
}
