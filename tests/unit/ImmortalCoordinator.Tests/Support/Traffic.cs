using System.Buffers;
using System.Text;
using Ambrosia.Coordinator.Transport;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>Sends and receives text over a connection.</summary>
public static class Traffic
{
    public static async Task SendAsync(this IConnection connection, string text)
    {
        connection.Output.Write(Encoding.UTF8.GetBytes(text));
        await connection.Output.FlushAsync().AsTask().OrFail();
    }

    public static async Task<string> ReceiveAsync(this IConnection connection, int characters)
    {
        var result = await connection.Input.ReadAtLeastAsync(characters).AsTask().OrFail();
        string text = Encoding.UTF8.GetString(result.Buffer.Slice(0, Math.Min(characters, result.Buffer.Length)));
        connection.Input.AdvanceTo(result.Buffer.GetPosition(text.Length));
        return text;
    }

    /// <summary>True when the other side ended in order and everything was read.</summary>
    public static async Task<bool> IsAtEndAsync(this IConnection connection)
    {
        var result = await connection.Input.ReadAsync().AsTask().OrFail();
        bool end = result.IsCompleted && result.Buffer.IsEmpty;
        connection.Input.AdvanceTo(result.Buffer.Start);
        return end;
    }
}
