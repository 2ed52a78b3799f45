namespace Ambrosia.Coordinator.Transport.Tls;

/// <summary>
/// Files that somebody replaces while they are used, such as certificates. They are read again whenever they are asked for, so that what
/// replaced them, and how, makes no difference. Files that are being replaced do not fit together for a moment: the last good ones stay.
/// </summary>
/// <typeparam name="T">What they say.</typeparam>
public sealed class RenewedFiles<T>
{
    private readonly object _gate = new();
    private readonly string[] _files;
    private readonly Func<string[], T> _understand;
    private readonly Action<T> _tell;
    private readonly Action<string> _stay;
    private string[] _texts;
    private string _trouble = "";
    private T _good;

    /// <summary>Reads them.</summary>
    /// <param name="files">Where they are.</param>
    /// <param name="understand">Makes of their texts what they say, or throws a <see cref="FormatException"/>.</param>
    /// <param name="tell">Is told what they say, at first and after each change.</param>
    /// <param name="stay">Is told once why changed ones cannot be used.</param>
    /// <exception cref="IOException">One cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">One may not be read.</exception>
    /// <exception cref="FormatException">They cannot be used.</exception>
    public RenewedFiles(string[] files, Func<string[], T> understand, Action<T> tell, Action<string> stay)
    {
        (_files, _understand, _tell, _stay) = (files, understand, tell, stay);
        _texts = Read();
        _good = understand(_texts);
        tell(_good);
    }

    /// <summary>What their newest usable version says. From any thread.</summary>
    public T Current
    {
        get
        {
            lock (_gate)
            {
                Refresh();
                return _good;
            }
        }
    }

    private void Refresh()
    {
        try
        {
            string[] now = Read();
            if (!now.AsSpan().SequenceEqual(_texts))
            {
                _good = _understand(now);
                _texts = now;
                _tell(_good);
            }

            _trouble = "";
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or FormatException)
        {
            if (_trouble != error.Message)
            {
                _trouble = error.Message;
                _stay(error.Message);
            }
        }
    }

    private string[] Read() => [.. _files.Select(File.ReadAllText)];
}
