using System.Globalization;
using System.Text.Json;
using Azure;
using Azure.Core;
using Azure.Core.Pipeline;

namespace Ambrosia.LogStore.Azure;

/// <summary>The few operations on entities that a catalog needs, in the table service's own JSON. One entity per instance, all in one partition.</summary>
internal sealed class TableClient(AzureAccount account, TimeProvider time)
{
    private const string Partition = "ambrosia";
    private const string Version = "2019-02-02";
    private const string Json = "application/json;odata=minimalmetadata";
    private readonly Lazy<HttpPipeline> _pipeline = new(account.OpenTables);

    private string Table => account.Address.Name;

    /// <summary>The text of an entity and the mark that changes with it; null when there is none.</summary>
    public ValueTask<(string Entry, string Mark)?> GetAsync(string row) => account.TryAsync<(string, string)?>(async () =>
    {
        using HttpMessage answer = await SendAsync(RequestMethod.Get, EntityPath(row), "");
        if (answer.Response.Status == 404)
        {
            return null;
        }

        using JsonDocument document = Read(answer);
        return (EntryOf(document.RootElement), document.RootElement.GetProperty("odata.etag").GetString()!);
    });

    /// <summary>Rows and texts of all entities, in the order of their rows; none when there is no table.</summary>
    public async ValueTask<List<(string Row, string Entry)>> ListAsync()
    {
        var found = new List<(string, string)>();
        string? next = "";
        while (next is not null)
        {
            next = await account.TryAsync(() => ListPageAsync(found, next));
        }

        return found;
    }

    /// <summary>Makes an entity; false when there is one.</summary>
    public ValueTask<bool> InsertAsync(string row, string entry) => account.TryAsync(async () =>
    {
        HttpMessage answer = await SendAsync(RequestMethod.Post, Table, "", Body(row, entry));
        if (answer.Response.Status == 404)
        {
            answer.Dispose();
            await MakeTableAsync();
            answer = await SendAsync(RequestMethod.Post, Table, "", Body(row, entry));
        }

        using (answer)
        {
            return answer.Response.Status != 409;
        }
    });

    /// <summary>Replaces an entity that still has this mark.</summary>
    public ValueTask<bool> ReplaceAsync(string row, string entry, string mark) => account.TryAsync(async () =>
    {
        using HttpMessage answer = await SendAsync(RequestMethod.Put, EntityPath(row), "", Body(row, entry), mark);
        return answer.Response.Status is not (404 or 412);
    });

    /// <summary>Removes an entity that still has this mark.</summary>
    public ValueTask<bool> RemoveAsync(string row, string mark) => account.TryAsync(async () =>
    {
        using HttpMessage answer = await SendAsync(RequestMethod.Delete, EntityPath(row), "", null, mark);
        return answer.Response.Status is not (404 or 412);
    });

    private static string EntryOf(JsonElement entity) => entity.TryGetProperty("Entry", out JsonElement entry) ? entry.GetString() ?? "" : "";

    private static JsonDocument Read(HttpMessage answer) => JsonDocument.Parse(answer.Response.Content.ToMemory());

    private static RequestContent Body(string row, string entry) =>
        RequestContent.Create(Write(writer => { writer.WriteString("PartitionKey", Partition); writer.WriteString("RowKey", row); writer.WriteString("Entry", entry); }));

    private static byte[] Write(Action<Utf8JsonWriter> properties)
    {
        var bytes = new System.Buffers.ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(bytes))
        {
            writer.WriteStartObject();
            properties(writer);
            writer.WriteEndObject();
        }

        return bytes.WrittenSpan.ToArray();
    }

    // An instance's name holds nothing that would need quoting.
    private string EntityPath(string row) => $"{Table}(PartitionKey='{Partition}',RowKey='{row}')";

    private async ValueTask<string?> ListPageAsync(List<(string Row, string Entry)> found, string after)
    {
        using HttpMessage answer = await SendAsync(RequestMethod.Get, $"{Table}()", $"$filter=PartitionKey%20eq%20'{Partition}'{after}");
        if (answer.Response.Status == 404)
        {
            return null;
        }

        using JsonDocument document = Read(answer);
        foreach (JsonElement entity in document.RootElement.GetProperty("value").EnumerateArray())
        {
            found.Add((entity.GetProperty("RowKey").GetString()!, EntryOf(entity)));
        }

        return answer.Response.Headers.TryGetValue("x-ms-continuation-NextRowKey", out string? row) && answer.Response.Headers.TryGetValue("x-ms-continuation-NextPartitionKey", out string? partition)
            ? $"&NextPartitionKey={Uri.EscapeDataString(partition!)}&NextRowKey={Uri.EscapeDataString(row!)}" : null;
    }

    private async ValueTask MakeTableAsync()
    {
        using HttpMessage _ = await SendAsync(RequestMethod.Post, "Tables", "", RequestContent.Create(Write(writer => writer.WriteString("TableName", Table))));
    }

    /// <summary>One call. "Not there", "there already" and "condition not met" are answers; everything else that is no success throws.</summary>
    private async ValueTask<HttpMessage> SendAsync(RequestMethod method, string path, string query, RequestContent? body = null, string? mark = null)
    {
        HttpPipeline pipeline = _pipeline.Value;
        HttpMessage message = pipeline.CreateMessage();
        Request request = message.Request;
        request.Method = method;
        request.Uri.Reset(new Uri($"{account.Address.Service.ToString().TrimEnd('/')}/{path}"));
        request.Uri.Query = query;
        request.Headers.SetValue("x-ms-date", time.GetUtcNow().ToString("R", CultureInfo.InvariantCulture));
        request.Headers.SetValue("x-ms-version", Version);
        request.Headers.SetValue("DataServiceVersion", "3.0");
        request.Headers.SetValue("Accept", Json);
        if (mark is not null)
        {
            request.Headers.SetValue("If-Match", mark);
        }

        if (body is not null)
        {
            request.Content = body;
            request.Headers.SetValue("Content-Type", "application/json");
            request.Headers.SetValue("Prefer", "return-no-content");
        }

        await pipeline.SendAsync(message, CancellationToken.None);
        return message.Response.Status is >= 200 and < 300 or 404 or 409 or 412 ? message : throw new RequestFailedException(message.Response);
    }
}
