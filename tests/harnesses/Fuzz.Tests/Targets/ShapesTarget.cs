using System.Text;
using System.Text.Json;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.CoordinatorHost.Shapes;
using Ambrosia.Fuzz.Tests.Engine;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>What an app tells of its methods. What is read can be described, and nothing that it says makes a call an accident.</summary>
internal sealed class ShapesTarget : FuzzTarget
{
    public override string Name => "shapes";

    public override int Weight => 2;

    public override int Largest => 2048;

    public override long AllocationBase => 512 * 1024;

    // A description repeats what an app has told once.
    public override int AllocationFactor => 2048;

    public override IReadOnlyList<byte[]> Words =>
    [
        .. """
            "interface":|"methods":[|"types":[|"id":|"name":|"impulse":true|"query":true|"parameters":[|"result":|"type":|"default":|"needed":true|"members":[|"slots":[|"at":|"cases":[|"tag":|"numbers":|"values":{|"#0"|"#1?"|"[#2]"|"{text:#0}"|"{#3:any}"|"(int32,text)"|"int128"|"decimal"|"any"|{|}|]|,|null|-1|255|256|2147483648|18446744073709551615|1.5|"\ud800"
            """.Trim().Split('|').Select(Encoding.UTF8.GetBytes),
    ];

    public override IEnumerable<byte[]> Seeds() =>
    [
        Encoding.UTF8.GetBytes(JsonValueTarget.Shapes),
        """{"interface":"A.B","methods":[],"types":[]}"""u8.ToArray(),
        """{"interface":"A.B","methods":[{"id":1,"name":"M","parameters":[{"name":"a","type":"#0","default":{"B":[1]}}],"result":"#0?"}],"types":[{"name":"C","members":[{"name":"B","type":"[int32]"}]}]}"""u8.ToArray(),
        """{"interface":"A.B","methods":[{"id":1,"name":"M","parameters":[{"name":"a","type":"int32","default":"x"}]}],"types":[]}"""u8.ToArray(),
        """{"interface":"A.B","methods":[],"types":[{"name":"U","cases":[{"tag":0,"type":"#0"},{"tag":1,"type":"#0"}]}]}"""u8.ToArray(),
        "[]"u8.ToArray(),
    ];

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        AppShape app;
        try
        {
            app = ShapeReader.Read(Encoding.UTF8.GetString(input.Span));
        }
        catch (ShapeException)
        {
            return "refused";
        }

        using (JsonDocument.Parse(OpenApiDocument.Write("bank", app, app.Methods, asksForTokens: true), new JsonDocumentOptions
            { MaxDepth = 1000 }))
        {
        }

        foreach (MethodShape method in app.Methods)
        {
            foreach (string body in new[] { "{}", "[]", """{"a":null,"A":{"$type":"1"}}""" })
            {
                JsonValueTarget.TryArguments(body, method);
            }

            JsonDecoder.Value([0x92, 0x01, 0x80], method.Result);
        }

        return app.Methods.Count == 0 ? "nothing to call" : Accepted;
    }
}
