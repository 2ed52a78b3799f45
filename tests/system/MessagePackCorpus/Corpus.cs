using System.Buffers.Binary;

namespace Ambrosia.MessagePackCorpus;

/// <summary>Files of values, each preceded by its length.</summary>
internal static class Corpus
{
    public static void Write(string path, IEnumerable<byte[]> values)
    {
        using FileStream file = File.Create(path);
        byte[] length = new byte[4];
        foreach (byte[] value in values)
        {
            BinaryPrimitives.WriteInt32LittleEndian(length, value.Length);
            file.Write(length);
            file.Write(value);
        }
    }

    public static IEnumerable<byte[]> Read(string path)
    {
        byte[] bytes = File.ReadAllBytes(path);
        for (int at = 0; at < bytes.Length;)
        {
            int length = BinaryPrimitives.ReadInt32LittleEndian(bytes.AsSpan(at));
            yield return bytes.AsSpan(at + 4, length).ToArray();
            at += 4 + length;
        }
    }
}
