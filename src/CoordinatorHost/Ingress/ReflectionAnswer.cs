using System.Buffers;
using System.Text;
using Ambrosia.CoordinatorHost.Protobuf;
using Ambrosia.CoordinatorHost.Shapes;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// What one question of <c>grpc.reflection.v1.ServerReflection</c> is answered. The numbers are those of its messages; the older
/// <c>v1alpha</c> has the same.
/// </summary>
internal static class ReflectionAnswer
{
    private const int Invalid = 3, NotFound = 5; // Statuses of gRPC.

    // Which field of the question is set.
    private const int ByName = 3, BySymbol = 4, ByExtension = 5, Extensions = 6, List = 7;

    /// <summary>The answer.</summary>
    /// <param name="question">The question.</param>
    /// <param name="files">The files that its sender may see.</param>
    /// <param name="advice">What to say behind the name of something that is not there.</param>
    /// <exception cref="ProtoValueException">The question is no message.</exception>
    public static byte[] Of(ReadOnlyMemory<byte> question, IReadOnlyList<ProtoFile> files, string advice = "")
    {
        (int kind, string argument) = (0, "");
        ReadOnlyMemory<byte> host = default;
        var reader = new WireReader(question);
        while (reader.TryNext(out WireValue value))
        {
            if (value.Number == 1)
            {
                host = value.Bytes;
            }
            else if (value.Number is >= ByName and <= List)
            {
                (kind, argument) = (value.Number, Encoding.UTF8.GetString(value.Bytes.Span));
            }
        }

        var whole = new ArrayBufferWriter<byte>();
        var answer = new WireWriter(whole);
        answer.Bytes(1, host.Span);
        answer.Bytes(2, question.Span);
        ProtoFile? file = kind == ByName ? files.FirstOrDefault(each => each.Name == argument)
            : kind == BySymbol ? files.FirstOrDefault(each => each.Declares(argument)) : null;
        if (kind == List)
        {
            answer.Message(6, list => WriteServices(list, files));
        }
        else if (file is not null)
        {
            answer.Message(4, files => files.Bytes(1, file.Bytes.Span));
        }
        else
        {
            answer.Message(7, error => WriteError(error, kind, argument, advice));
        }

        return whole.WrittenSpan.ToArray();
    }

    private static void WriteServices(WireWriter list, IReadOnlyList<ProtoFile> files)
    {
        foreach (string name in files.SelectMany(static each => each.Services).Order(StringComparer.Ordinal))
        {
            list.Message(1, service => service.Text(1, name));
        }
    }

    private static void WriteError(WireWriter error, int kind, string argument, string advice)
    {
        string shown = JsonPath.Shown(argument);
        error.Varint(1, (ulong)(kind == 0 ? Invalid : NotFound));
        error.Text(2, kind switch
        {
            ByName => $"there is no file {shown}{advice}",
            BySymbol => $"there is no symbol {shown}{advice}",
            ByExtension or Extensions => "there are no extensions",
            _ => "the request asks nothing that is known here",
        });
    }
}
