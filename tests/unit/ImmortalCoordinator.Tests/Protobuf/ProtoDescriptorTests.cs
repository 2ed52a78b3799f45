using Ambrosia.CoordinatorHost.Protobuf;
using Ambrosia.CoordinatorHost.Shapes;
using Ambrosia.ImmortalCoordinator.Tests.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Ambrosia.ImmortalCoordinator.Tests.Protobuf;

/// <summary>Descriptors are what protoc makes of the text of the same service.</summary>
public sealed class ProtoDescriptorTests
{
    private const string Published = "src/CoordinatorHost/Protobuf/published.protoset";

    [Theory]
    [InlineData(IngressUnderTest.ShopShapes)]
    [InlineData(ProtoTextTests.Everything)]
    public async Task A_descriptor_is_what_protoc_makes_of_the_text(string shapes)
    {
        ProtoService service = ProtoBuilder.Build(ShapeReader.Read(shapes));
        FileDescriptorProto compiled = await ProtoTextTests.CompileAsync(ProtoText.Write(service, service.Methods));
        AreEqual(compiled, ProtoDescriptor.Write(service, service.Methods), service);
    }

    [Fact]
    public async Task A_type_that_is_called_as_the_entry_of_a_map_or_a_scalar_is_not_taken_for_it()
    {
        const string Shapes = """
            {"interface":"Big.IHard","methods":[{"id":1,"name":"Set","parameters":[{"name":"price","type":"{text:int32}"},
            {"name":"one","type":"#0"},{"name":"two","type":"{text:#1}"},{"name":"optional","type":"#2"}]}],
            "types":[{"name":"PriceEntry","members":[{"name":"a","type":"text"}]},{"name":"string","members":[{"name":"b","type":"int32"}]},
            {"name":"repeated","members":[{"name":"c","type":"#1"}]}]}
            """;
        await A_descriptor_is_what_protoc_makes_of_the_text(Shapes);
    }

    // Many methods in one service, because protoc is a process each time.
    [Fact]
    public async Task Descriptors_of_random_types_are_what_protoc_makes_of_the_text()
    {
        for (int round = 0; round < 8; round++)
        {
            string methods = string.Join(',', Enumerable.Range(round * 50, 50).Select(static seed =>
            {
                var random = new Random(seed);
                return $$"""
                    {"id":{{seed + 1}},"name":"M{{seed}}","parameters":[{"name":"some_value2of","type":"{{ProtoRoundTripTests.TypeOf(random, 0)}}"},
                    {"name":"b","type":"{{ProtoRoundTripTests.TypeOf(random, 0)}}"}],"result":"{{ProtoRoundTripTests.TypeOf(random, 0)}}"}
                    """;
            }));
            ProtoService service = ProtoBuilder.Build(ShapeReader.Read(
                $$"""{"interface":"Big.IRandom","methods":[{{methods}}],"types":{{ProtoRoundTripTests.Types}}}"""));
            FileDescriptorProto compiled = await ProtoTextTests.CompileAsync(ProtoText.Write(service, service.Methods));
            AreEqual(compiled, ProtoDescriptor.Write(service, service.Methods), service);
        }
    }

    [Fact]
    public async Task What_is_published_is_what_protoc_makes_of_its_files()
    {
        byte[] compiled = await ProtoTextTests.CompileAsync(
            [
                Path.Combine(Repository.Root, "src/Protocol/Ingress"),
                Path.Combine(Repository.Root, "tests/unit/ImmortalCoordinator.Tests/Protobuf"),
            ],
            ["ambrosia/v1/ingress.proto", "grpc/reflection/v1/reflection.proto", "grpc/reflection/v1alpha/reflection.proto"]);
        string path = Path.Combine(Repository.Root, Published);
        if (Environment.GetEnvironmentVariable("AMBROSIA_WRITE_DOCS") == "1")
        {
            await File.WriteAllBytesAsync(path, compiled);
            return;
        }

        Assert.Equal(FileDescriptorSet.Parser.ParseFrom(compiled), FileDescriptorSet.Parser.ParseFrom(await File.ReadAllBytesAsync(path)));
        Assert.Equal(
            FileDescriptorSet.Parser.ParseFrom(compiled).File,
            ProtoFile.Published.Select(static file => FileDescriptorProto.Parser.ParseFrom(file.Bytes.Span)));
    }

    [Fact]
    public void A_file_declares_its_services_methods_messages_fields_and_what_is_in_messages_and_nothing_else()
    {
        ProtoService service = ProtoBuilder.Build(ShapeReader.Read(ProtoTextTests.Everything));
        ProtoFile file = ProtoFile.Read(ProtoDescriptor.Write(service, service.Methods));
        const string Package = "ambrosia.apps.big.shop.big_shop";
        foreach (string name in new[]
            { "BigShop", "BigShop.Lists", "Tree", "Tree.left", "ListsRequest.DEntry", "ListsRequest.DEntry.value", "Shape.kind" })
        {
            Assert.True(file.Declares($"{Package}.{name}"), name);
        }

        foreach (string name in new[] { "", "BigShop.Whatever", "Tree.Left", "Tre", "bigshop" })
        {
            Assert.False(file.Declares($"{Package}.{name}"), name);
        }

        Assert.False(file.Declares(Package));
        Assert.Equal($"{Package}.BigShop", Assert.Single(file.Services));
    }

    private static void AreEqual(FileDescriptorProto compiled, byte[] written, ProtoService service)
    {
        compiled.Name = service.FileName;
        FileDescriptorProto mine = FileDescriptorProto.Parser.ParseFrom(written);
        Assert.Equal(compiled.ToString(), mine.ToString());
        Assert.Equal(compiled, mine);
        FileDescriptor built = Assert.Single(FileDescriptor.BuildFromByteStrings([ByteString.CopyFrom(written)]));
        Assert.Equal(service.FullName, Assert.Single(built.Services).FullName);
    }
}
