using System.Buffers;
using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.State;

/// <summary>Saves and loads graphs of this test assembly's types.</summary>
internal static class Graph
{
    public static GraphOptions Options(bool emit = true) => new() { Assemblies = [typeof(Graph).Assembly], Emit = emit };

    public static byte[] Save(object? root, bool emit = true)
    {
        ArrayBufferWriter<byte> writer = new();
        GraphWriter.Write(writer, [root], Options(emit));
        return writer.WrittenSpan.ToArray();
    }

    public static object? Load(byte[] bytes, bool emit = true, object? existing = null) =>
        GraphReader.Read(new ReadOnlySequence<byte>(bytes), [existing], Options(emit)).FirstOrDefault();

    /// <summary>Saves and loads with both plans, which must agree in every byte, and saves again, which must give the same bytes.</summary>
    public static T Copy<T>(T root)
    {
        byte[] emitted = Save(root, emit: true);
        byte[] reflected = Save(root, emit: false);
        Assert.True(emitted.AsSpan().SequenceEqual(reflected), "The plans write different bytes.");
        object? byReflection = Load(emitted, emit: false);
        object? byEmit = Load(emitted, emit: true);
        Assert.True(emitted.AsSpan().SequenceEqual(Save(byReflection, emit: true)), "What reflection read saves differently.");
        Assert.True(emitted.AsSpan().SequenceEqual(Save(byEmit, emit: false)), "What emitted code read saves differently.");
        return (T)byEmit!;
    }
}
