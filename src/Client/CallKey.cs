using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Ambrosia.Client;

/// <summary>
/// The key of one call: each process that sends the call again with it is given the answer of the first. Keep it with the wish that it
/// stands for.
/// </summary>
/// <param name="Name">What the call is called, such as the number of an order: 1 to 255 characters of visible ASCII.</param>
/// <param name="Made">When the wish arose, and not when it is sent: the same in each repeat.</param>
public sealed record CallKey(string Name, DateTimeOffset Made)
{
    private const int MostName = 255;

    /// <summary>
    /// The id of the immortal that the call is for, in 32 hexadecimal digits; null for any of its name. One that keeps no log
    /// (<c>--no-log</c>) must be named: it has a new id at each start, and knows no key of the start before.
    /// <see cref="CallRefusedException.InstanceId"/> tells it.
    /// </summary>
    public string? InstanceId { get; init; }

    /// <summary>Whether it can be one.</summary>
    /// <exception cref="ArgumentException">It cannot.</exception>
    internal void Check()
    {
        if (Name is not { Length: > 0 and <= MostName } || Name.Any(static c => c is < ' ' or > '~'))
        {
            throw new ArgumentException(
                $"'{Name}' is no name of a key: one has from 1 to {MostName} characters of visible ASCII.", nameof(Name));
        }

        if (Made.ToUnixTimeMilliseconds() <= 0)
        {
            throw new ArgumentException(
                $"The key '{Name}' does not say when it was made: Made is {Made:u}. Give the time at which the wish arose, such as "
                    + "order.Made, and the same in each repeat; CallKey.New() makes a key that no other call has.", nameof(Made));
        }

        if (InstanceId is not null && !Guid.TryParseExact(InstanceId, "N", out _))
        {
            throw new ArgumentException(
                $"InstanceId of the key '{Name}' is '{InstanceId}'; the id of an instance has 32 hexadecimal digits.", nameof(InstanceId));
        }
    }

    /// <summary>A key that no other call has, made now: a UUIDv7.</summary>
    public static CallKey New() => New(DateTimeOffset.UtcNow);

    /// <summary>A key that no other call has.</summary>
    internal static CallKey New(DateTimeOffset now)
    {
        Span<byte> bytes = stackalloc byte[16];
        RandomNumberGenerator.Fill(bytes);
        long made = now.ToUnixTimeMilliseconds();
        BinaryPrimitives.WriteUInt32BigEndian(bytes, (uint)(made >> 16));
        BinaryPrimitives.WriteUInt16BigEndian(bytes[4..], (ushort)made);
        bytes[6] = (byte)(0x70 | (bytes[6] & 0x0f));
        bytes[8] = (byte)(0x80 | (bytes[8] & 0x3f));
        return new CallKey(new Guid(bytes, bigEndian: true).ToString(), DateTimeOffset.FromUnixTimeMilliseconds(made));
    }
}
