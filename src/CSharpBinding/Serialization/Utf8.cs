using System.Text;

namespace Ambrosia.Serialization;

/// <summary>UTF-8 that refuses what it cannot carry unchanged, instead of replacing it.</summary>
internal static class Utf8
{
    public static readonly UTF8Encoding Strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);
}
