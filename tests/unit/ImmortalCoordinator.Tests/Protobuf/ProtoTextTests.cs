using System.Diagnostics;
using Ambrosia.CoordinatorHost.Protobuf;
using Ambrosia.CoordinatorHost.Shapes;
using Ambrosia.ImmortalCoordinator.Tests.Ingress;
using Google.Protobuf.Reflection;

namespace Ambrosia.ImmortalCoordinator.Tests.Protobuf;

/// <summary>The .proto of an interface, read by protoc itself.</summary>
public sealed class ProtoTextTests
{
    /// <summary>One of each kind of type, and names that are hard.</summary>
    public const string Everything = """
        {"interface":"Big.Shop.IBigShop","methods":[
        {"id":1,"name":"Plain","impulse":true,"parameters":[{"name":"a","type":"bool"},{"name":"b","type":"int8"},{"name":"c","type":"uint64"},{"name":"d","type":"float32"},{"name":"e","type":"float64"},{"name":"f","type":"bytes"},{"name":"g","type":"char"},{"name":"h","type":"decimal"},{"name":"i","type":"int64?"},{"name":"j","type":"int64","default":5},{"name":"k","type":"int64?","default":5}],"result":"(int32,text?)"},
        {"id":2,"name":"Lists","impulse":true,"parameters":[{"name":"a","type":"[int32]"},{"name":"b","type":"[[int32?]]"},{"name":"c","type":"[text]?"},{"name":"d","type":"{text:int64}"},{"name":"e","type":"{#0:[#1]}"},{"name":"f","type":"{(int32,int32):text}"},{"name":"g","type":"{bool:(int32,#1)}"}],"result":"[#2?]"},
        {"id":3,"name":"Add","impulse":true,"parameters":[{"name":"number","type":"int64"}]},
        {"id":4,"name":"Add","impulse":true,"parameters":[{"name":"text","type":"text"}]},
        {"id":5,"name":"Whatever","impulse":true,"parameters":[{"name":"value","type":"any"}]},
        {"id":6,"name":"PriceOf","impulse":true,"query":true,"parameters":[{"name":"größe","type":"#0"},{"name":"fooBar","type":"text"},{"name":"foo_bar","type":"text"}],"result":"#3"}],
        "types":[{"name":"Colour","numbers":"int32","values":{"Red":1,"Blue":2}},
        {"name":"Shop.Tree","slots":[{"name":"Children","type":"[#1]","at":0,"needed":true},{"name":"message","type":"text","at":2,"needed":true},{"name":"Left","type":"#1?","at":3}]},
        {"name":"Shape","cases":[{"tag":0,"type":"#1"},{"tag":3,"type":"int32"},{"tag":4,"type":"[int32]"}]},
        {"name":"PlainRequest","members":[{"name":"Id","type":"uuid","needed":true},{"name":"Note","type":"text"},{"name":"When","type":"time?"}]}]}
        """;

    [Fact]
    public async Task Protoc_reads_what_is_written_of_every_kind_of_type()
    {
        FileDescriptorProto file = await CompileAsync(TextOf(Everything));
        Assert.Equal("ambrosia.apps.big.shop.big_shop", file.Package);
        ServiceDescriptorProto service = Assert.Single(file.Service);
        Assert.Equal("BigShop", service.Name);
        Assert.Equal(["Plain", "Lists", "AddByNumber", "AddByText", "PriceOf"], service.Method.Select(static each => each.Name));
        Assert.Equal(MethodOptions.Types.IdempotencyLevel.NoSideEffects, service.Method[4].Options.IdempotencyLevel);
        DescriptorProto tree = file.MessageType.Single(static each => each.Name == "Tree");
        Assert.Equal([1, 3, 4], tree.Field.Select(static each => each.Number));
        Assert.Contains(file.MessageType, static each => each.Name == "PlainRequest_2x");
    }

    [Fact]
    public void A_method_that_cannot_be_said_is_left_out_with_the_reason() =>
        Assert.Contains("// Whatever is missing: it has a value of any type.", TextOf(Everything), StringComparison.Ordinal);

    [Fact]
    public void Numbers_of_members_without_positions_are_those_of_their_names_for_ever()
    {
        string text = TextOf(Everything);
        Assert.Contains("  string id = 384350466;", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_caller_sees_the_methods_that_it_may_call_and_no_others()
    {
        await using IngressUnderTest ingress = await IngressUnderTest.StartAsync();
        string text = (await ingress.GetAsync("/service.proto")).Text;
        FileDescriptorProto file = await CompileAsync(text);
        Assert.Equal("ambrosia.apps.shop.shop", file.Package);
        Assert.Equal(["Order", "AddByNumber", "AddByText", "Paint", "PriceOf"], file.Service[0].Method.Select(static each => each.Name));
        using Stream stubs = typeof(ProtoTextTests).Assembly.GetManifestResourceStream("shop.proto")!;
        using var reader = new StreamReader(stubs);
        Assert.Equal(await reader.ReadToEndAsync(), text);
        Assert.DoesNotContain("Close", text, StringComparison.Ordinal);
    }

    private static string TextOf(string shapes)
    {
        ProtoService service = ProtoBuilder.Build(ShapeReader.Read(shapes));
        return ProtoText.Write(service, service.Methods);
    }

    /// <summary>What protoc makes of a text.</summary>
    internal static async Task<FileDescriptorProto> CompileAsync(string text)
    {
        string folder = Directory.CreateTempSubdirectory("ambrosia-proto").FullName;
        try
        {
            await File.WriteAllTextAsync(Path.Combine(folder, "service.proto"), text);
            return FileDescriptorSet.Parser.ParseFrom(await CompileAsync([folder], ["service.proto"])).File.Single();
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>The set of descriptors that protoc makes of files.</summary>
    internal static async Task<byte[]> CompileAsync(string[] folders, string[] files)
    {
        string output = Path.GetTempFileName();
        try
        {
            string tool = typeof(ProtoTextTests).Assembly.GetCustomAttributes(false)
                .OfType<System.Reflection.AssemblyMetadataAttribute>().Single(static each => each.Key == "Protoc").Value!;
            using Process protoc = Process.Start(new ProcessStartInfo(tool,
                [.. folders.Select(static folder => $"--proto_path={folder}"), $"--descriptor_set_out={output}", .. files])
                { RedirectStandardError = true })!;
            string errors = await protoc.StandardError.ReadToEndAsync();
            await protoc.WaitForExitAsync();
            Assert.True(protoc.ExitCode == 0, errors);
            return await File.ReadAllBytesAsync(output);
        }
        finally
        {
            File.Delete(output);
        }
    }
}
