using System.Security.Cryptography;
using System.Text;

namespace Ambrosia.CodeGen.Extract;

/// <summary>Numbers and hashes that stand for methods and interfaces on the wire.</summary>
public static class MethodIds
{
    /// <summary>The id of a method without [MethodId]: the first 31 bits, not all zero, of the SHA-256 of its signature.</summary>
    public static int Of(string signature)
    {
        byte[] hash = Hash(signature);
        for (int at = 0; at < hash.Length; at += 4)
        {
            int id = ((hash[at] & 0x7f) << 24) | (hash[at + 1] << 16) | (hash[at + 2] << 8) | hash[at + 3];
            if (id != 0)
            {
                return id;
            }
        }

        return 1;
    }

    /// <summary>SHA-256 of a text, as hexadecimal digits.</summary>
    public static string HexHash(string text) => string.Concat(Hash(text).Select(static b => b.ToString("x2")));

    private static byte[] Hash(string text)
    {
        using SHA256 algorithm = SHA256.Create();
        return algorithm.ComputeHash(Encoding.UTF8.GetBytes(text));
    }
}
