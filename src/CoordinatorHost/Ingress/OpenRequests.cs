using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>Counts the requests that are being answered, and the bytes of their bodies. A caller that fills its share leaves that of
/// others.</summary>
internal sealed class OpenRequests(IngressLimits limits)
{
    private readonly object _gate = new();
    private readonly Dictionary<string, (int Requests, long Bytes)> _ofCallers = new(StringComparer.Ordinal);
    private int _requests;
    private long _bytes;

    /// <summary>Why there is no room for another one, or for more of its body.</summary>
    public static Problem Full { get; } = new(
        StatusCodes.Status429TooManyRequests, IngressErrors.TooManyAtOnce,
        "too many requests of this caller, or of all, are open, or too many bytes of them");

    /// <summary>Whether one more with such a body may be answered; then <see cref="End"/> follows.</summary>
    public bool TryBegin(string caller, long bytes)
    {
        lock (_gate)
        {
            (int requests, long held) = _ofCallers.GetValueOrDefault(caller);
            if (_requests >= limits.Requests || requests >= limits.RequestsOfOne || !HasRoom(held, bytes))
            {
                return false;
            }

            _requests++;
            _bytes += bytes;
            _ofCallers[caller] = (requests + 1, held + bytes);
            return true;
        }
    }

    /// <summary>Whether an open one may hold so many bytes more.</summary>
    public bool TryHold(string caller, long bytes)
    {
        lock (_gate)
        {
            (int requests, long held) = _ofCallers[caller];
            if (!HasRoom(held, bytes))
            {
                return false;
            }

            _bytes += bytes;
            _ofCallers[caller] = (requests, held + bytes);
            return true;
        }
    }

    /// <summary>One has been answered.</summary>
    public void End(string caller, long bytes)
    {
        lock (_gate)
        {
            _requests--;
            _bytes -= bytes;
            (int requests, long held) = _ofCallers[caller];
            if (requests == 1)
            {
                _ofCallers.Remove(caller);
            }
            else
            {
                _ofCallers[caller] = (requests - 1, held - bytes);
            }
        }
    }

    private bool HasRoom(long held, long bytes) =>
        bytes == 0 || (_bytes + bytes <= limits.Bodies && held + bytes <= limits.BodiesOfOne);
}
