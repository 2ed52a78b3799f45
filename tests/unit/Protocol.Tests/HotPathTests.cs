using System.Reflection;
using System.Runtime.CompilerServices;

namespace Ambrosia.Protocol.Tests;

/// <summary>
/// What every message passes is as fast compiled ahead of time as with the profile of a running program (architecture.md, "Native code
/// without a profile").
/// </summary>
public sealed class HotPathTests
{
    private const BindingFlags All =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    [Theory]
    [InlineData(typeof(MessageScanner), "Count")]
    [InlineData(typeof(MessageScanner), "MoveNext")]
    [InlineData(typeof(RpcHeader), "Read")]
    [InlineData(typeof(RpcHeader), "ReadForm")]
    [InlineData(typeof(RpcHeader), "ReadMethod")]
    [InlineData(typeof(RpcHeader), "ReadKind")]
    [InlineData(typeof(RpcHeader), "ReadCaller")]
    [InlineData(typeof(ByteReader), "ReadByte")]
    [InlineData(typeof(ByteReader), "ReadBytes")]
    [InlineData(typeof(ByteReader), "ReadVarint")]
    [InlineData(typeof(Varint), "TryRead")]
    public void Texts_of_errors_are_made_elsewhere(Type type, string name)
    {
        MethodInfo[] methods = [.. type.GetMethods(All).Where(method => method.Name == name)];

        Assert.NotEmpty(methods);
        Assert.DoesNotContain(methods.SelectMany(static method => method.GetMethodBody()!.LocalVariables), static local =>
            local.LocalType == typeof(DefaultInterpolatedStringHandler));
    }

    [Theory]
    [InlineData(typeof(RpcHeader), "Read")]
    [InlineData(typeof(RpcHeader), "ReadForm")]
    [InlineData(typeof(RpcHeader), "ReadMethod")]
    [InlineData(typeof(RpcHeader), "ReadKind")]
    [InlineData(typeof(ByteReader), "ReadByte")]
    [InlineData(typeof(ByteReader), "ReadBytes")]
    [InlineData(typeof(ByteReader), "ReadVarint")]
    [InlineData(typeof(MessageScanner), "MoveNext")]
    public void Steps_are_compiled_into_their_loop(Type type, string name) =>
        Assert.All(
            type.GetMethods(All).Where(method => method.Name == name),
            static method => Assert.True(method.MethodImplementationFlags.HasFlag(MethodImplAttributes.AggressiveInlining)));
}
