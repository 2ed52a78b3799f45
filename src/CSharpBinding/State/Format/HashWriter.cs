using System.Buffers;
using System.Security.Cryptography;

namespace Ambrosia.Runtime;

/// <summary>Hashes what is written to it.</summary>
internal sealed class HashWriter : IBufferWriter<byte>, IDisposable
{
    private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
    private byte[] _buffer = new byte[64 * 1024];

    public void Advance(int count) => _hash.AppendData(_buffer, 0, count);

    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        if (sizeHint > _buffer.Length)
        {
            _buffer = new byte[sizeHint];
        }
        return _buffer;
    }

    public Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public byte[] Finish() => _hash.GetHashAndReset();

    public void Dispose() => _hash.Dispose();
}
