using System.Buffers;
using Ambrosia.Serialization;
using MessagePack;
using MessagePack.Resolvers;
using MessagePackReader = Ambrosia.Serialization.MessagePackReader;
using MessagePackWriter = Ambrosia.Serialization.MessagePackWriter;

namespace Ambrosia.CSharpBinding.Tests.Serialization.Library;

/// <summary>Values that MessagePack-CSharp writes amid ours.</summary>
public sealed class LibraryFormatterTests
{
    private static readonly Parcel s_parcel = new() { Id = 7, Label = "x", Weights = { ["a"] = 1, ["b"] = 2 } };

    [Fact]
    public void The_bytes_are_those_that_the_library_writes_alone()
    {
        byte[] bytes = Codec.Write<Parcel, LibraryFormatter<Parcel>>(s_parcel);
        Assert.Equal(MessagePackSerializer.Serialize(s_parcel), bytes);
        Parcel read = Codec.Read<Parcel, LibraryFormatter<Parcel>>(bytes);
        Assert.Equal((7, "x", 2), (read.Id, read.Label, read.Weights["b"]));
    }

    [Fact]
    public void They_stand_amid_ours_and_between_each_other()
    {
        byte[] bytes = Codec.Write<List<Parcel>, ListFormatter<Parcel, LibraryFormatter<Parcel>>>([s_parcel, s_parcel]);
        Assert.Equal(0x92, bytes[0]);
        Assert.Equal([7, 7], Codec.Read<List<Parcel>, ListFormatter<Parcel, LibraryFormatter<Parcel>>>(bytes).Select(static p => p.Id));
    }

    [Fact]
    public void Unions_travel_as_the_library_writes_them()
    {
        byte[] bytes = Codec.Write<ICargo, LibraryFormatter<ICargo>>(s_parcel);
        Assert.Equal(MessagePackSerializer.Serialize<ICargo>(s_parcel), bytes);
        Assert.Equal(7, Assert.IsType<Parcel>(Codec.Read<ICargo, LibraryFormatter<ICargo>>(bytes)).Id);
    }

    [Fact]
    public void A_type_of_nobodys_needs_a_resolver()
    {
        MessagePackException error = Assert.Throws<MessagePackException>(
            static () => Codec.Write<Stamp, LibraryFormatter<Stamp>>(new Stamp(5)));
        Assert.Equal((MessagePackError.NoFormatter, "IC-1101"), (error.Error, error.Code));
        Assert.Contains("Stamp cannot be written: no resolver knows", error.Message, StringComparison.Ordinal);
        Assert.Contains("ImmortalOptions.Resolver", error.Message, StringComparison.Ordinal);
        Assert.Equal("IC-1101", Codec.Refused<Stamp, LibraryFormatter<Stamp>>([5]).Code);
    }

    [Fact]
    public void A_member_without_a_formatter_is_named()
    {
        MessagePackException error = Assert.Throws<MessagePackException>(
            static () => Codec.Write<Letter, LibraryFormatter<Letter>>(new Letter { At = new Stamp(1) }));
        Assert.Equal("IC-1101", error.Code);
        Assert.Contains("Stamp", error.Message, StringComparison.Ordinal);
    }

    [Fact] // The library itself says nothing and reads 0.
    public void A_marked_member_that_is_not_public_is_refused_with_its_name_and_what_to_do()
    {
        Assert.Equal(0, MessagePackSerializer.Deserialize<Secretive.PrivateField>(
            MessagePackSerializer.Serialize(new Secretive.PrivateField().Keep(5))).Kept());
        MessagePackException error = Assert.Throws<MessagePackException>(
            static () => Codec.Write<Secretive.PrivateField, LibraryFormatter<Secretive.PrivateField>>(new Secretive.PrivateField()
                .Keep(5)));
        Assert.Equal((MessagePackError.FormatterFailed, "IC-1102"), (error.Error, error.Code));
        Assert.Contains("PrivateField._kept is to travel, but it is not public", error.Message, StringComparison.Ordinal);
        Assert.Contains("StandardResolverAllowPrivate", error.Message, StringComparison.Ordinal);
        Assert.Equal("IC-1102", Codec.Refused<Secretive.PrivateField, LibraryFormatter<Secretive.PrivateField>>([0x92, 1, 5]).Code);
    }

    [Theory]
    [InlineData(typeof(Secretive.PrivateProperty), "Kept is to travel, but it is not public")]
    [InlineData(typeof(Secretive.PrivateGetter), "Kept is to travel, but it is not public")]
    [InlineData(typeof(Secretive.PrivateSetter), "Kept is to travel, but it has no public setter and no constructor takes it")]
    [InlineData(typeof(Secretive.Named), "Kept is to travel, but it has no public setter and no constructor takes it")]
    [InlineData(typeof(Secretive.Unset), "Kept is to travel, but it is readonly and no constructor takes it")]
    [InlineData(typeof(Secretive.Derived), "Unset.Kept is to travel, but it is readonly and no constructor takes it")]
    [InlineData(typeof(Secretive.Holder), null)]
    [InlineData(typeof(Secretive.Fed), null)]
    [InlineData(typeof(Secretive.FedByName), null)]
    [InlineData(typeof(Parcel), null)]
    public void What_would_be_lost_is_found_by_how_the_library_sets_it(Type type, string? expected)
    {
        string? loss = LostMember.In(type);
        Assert.Equal(expected is null, loss is null);
        Assert.Contains(expected ?? "", loss ?? "", StringComparison.Ordinal);
    }

    [Fact]
    public void What_a_constructor_takes_arrives()
    {
        Secretive.Fed fed = Codec.Read<Secretive.Fed, LibraryFormatter<Secretive.Fed>>(
            Codec.Write<Secretive.Fed, LibraryFormatter<Secretive.Fed>>(new(5, "x")));
        Assert.Equal((5, "x", 5), (fed.Kept, fed.Label, fed.Unmarked()));
        Assert.Equal(5, Codec.Read<Secretive.FedByName, LibraryFormatter<Secretive.FedByName>>(
            Codec.Write<Secretive.FedByName, LibraryFormatter<Secretive.FedByName>>(new(5))).Kept);
    }

    [Fact]
    public void It_is_found_within_others_and_allowed_by_a_resolver_that_takes_it()
    {
        var holder = new Secretive.Holder { Items = [new Secretive.PrivateField().Keep(5)] };
        MessagePackException error = Assert.Throws<MessagePackException>(
            () => Codec.Write<Secretive.Holder, LibraryFormatter<Secretive.Holder>>(holder));
        Assert.Contains("PrivateField._kept", error.Message, StringComparison.Ordinal);
        var library = new MessagePackLibrary(StandardResolverAllowPrivate.Instance);
        var reader = new MessagePackReader(Write<Secretive.Holder, LibraryFormatter<Secretive.Holder>>(holder, library), library);
        Assert.Equal(5, default(LibraryFormatter<Secretive.Holder>).Read(ref reader).Items[0].Kept());
    }

    [Fact]
    public void The_resolver_of_an_interface_is_asked_first_then_that_of_the_options()
    {
        var library = new MessagePackLibrary(new StampResolver(2));
        Assert.Equal([5], Write<Stamp, LibraryFormatter<Stamp, OneStampResolver>>(new Stamp(5), library));
        Assert.Equal([10], Write<Stamp, LibraryFormatter<Stamp>>(new Stamp(5), library));
        Assert.Equal([0x91, 10], Write<Letter, LibraryFormatter<Letter>>(new Letter { At = new Stamp(5) }, library));
        Assert.Equal(MessagePackSerializer.Serialize(s_parcel),
            Write<Parcel, LibraryFormatter<Parcel, OneStampResolver>>(s_parcel, library));
        var reader = new MessagePackReader([10], library);
        Assert.Equal(5, default(LibraryFormatter<Stamp>).Read(ref reader).Ticks);
    }

    [Theory]
    [InlineData(StampFault.Throws, "InvalidOperationException, out of paper")]
    [InlineData(StampFault.WritesNothing, "has not written one value")]
    [InlineData(StampFault.WritesTwice, "has written 1 bytes after its value")]
    [InlineData(StampFault.WritesHalf, "has not written one value")]
    [InlineData(StampFault.ResolverThrows, "InvalidOperationException, no resolver today")]
    public void A_formatter_or_resolver_that_fails_leaves_an_error_and_no_bytes(StampFault fault, string expected)
    {
        var library = new MessagePackLibrary(new StampResolver(1) { Fault = fault });
        var output = new ArrayBufferWriter<byte>();
        MessagePackException error = Assert.Throws<MessagePackException>(() =>
        {
            var writer = new MessagePackWriter(output, library) { Subject = "Ship.at" };
            writer.WriteArrayHeader(1);
            default(LibraryFormatter<Stamp>).Write(ref writer, new Stamp(5));
        });
        Assert.Equal((MessagePackError.FormatterFailed, "IC-1102", 1), (error.Error, error.Code, error.Offset));
        Assert.StartsWith("Ship.at: ", error.Message, StringComparison.Ordinal);
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
        Assert.EndsWith("(byte 1).", error.Message, StringComparison.Ordinal);
        // What failed once does not stay in what the next one writes.
        Assert.Equal([5], Write<Stamp, LibraryFormatter<Stamp>>(new Stamp(5), new MessagePackLibrary(new StampResolver(1))));
    }

    [Theory]
    [InlineData(StampFault.Throws, "InvalidOperationException, out of paper")]
    [InlineData(StampFault.ReadsNothing, "has read 0 of the 1 bytes of its value")]
    [InlineData(StampFault.ReadsBeyond, "EndOfStreamException")]
    [InlineData(StampFault.MakesNull, "has made null of a value")]
    public void A_formatter_that_fails_to_read_names_argument_and_byte(StampFault fault, string expected)
    {
        var library = new MessagePackLibrary(new StampResolver(1) { Fault = fault });
        MessagePackException error = Assert.Throws<MessagePackException>(() =>
        {
            var reader = new MessagePackReader([0x92, 1, 5], library);
            reader.ReadArrayHeader(2);
            reader.ReadInt32();
            reader.Subject = "Ship.at";
            default(LibraryFormatter<Stamp>).Read(ref reader);
        });
        Assert.Equal((MessagePackError.FormatterFailed, "IC-1102"), (error.Error, error.Code));
        Assert.StartsWith("Ship.at: ", error.Message, StringComparison.Ordinal);
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
        Assert.InRange(error.Offset, 2, 3);
    }

    [Fact]
    public void A_resolver_that_cannot_be_made_says_why() => Assert.Contains(
        "no paper in stock",
        Assert.Throws<MessagePackException>(static () => Codec.Write<Stamp, LibraryFormatter<Stamp, BrokenResolver>>(new Stamp(5))).Message,
        StringComparison.Ordinal);

    [Fact]
    public void Null_is_refused_both_ways_where_none_is_declared()
    {
        Assert.Equal(
            MessagePackError.UnexpectedNull,
            Assert.Throws<MessagePackException>(static () => Codec.Write<Parcel, LibraryFormatter<Parcel>>(null!)).Error);
        MessagePackException error = Codec.Refused<Parcel, LibraryFormatter<Parcel>>([0xC0]);
        Assert.Equal(MessagePackError.UnexpectedNull, error.Error);
        Assert.Contains("null stands where", error.Message, StringComparison.Ordinal);
        Assert.Equal([0xC0], Codec.Write<Parcel?, OptionalFormatter<Parcel, LibraryFormatter<Parcel>>>(null));
        Assert.Null(Codec.Read<Parcel?, OptionalFormatter<Parcel, LibraryFormatter<Parcel>>>([0xC0]));
    }

    [Fact]
    public void Nesting_is_bounded_both_ways_by_one_limit()
    {
        Chain deepest = Chain.Of(MessagePackLimits.MaxDepth);
        byte[] bytes = Codec.Write<Chain, LibraryFormatter<Chain>>(deepest);
        Assert.Equal(MessagePackLimits.MaxDepth, Codec.Read<Chain, LibraryFormatter<Chain>>(bytes).Length);

        Chain deeper = Chain.Of(MessagePackLimits.MaxDepth + 1);
        Assert.Equal(
            MessagePackError.TooDeep,
            Assert.Throws<MessagePackException>(() => Codec.Write<Chain, LibraryFormatter<Chain>>(deeper)).Error);
        Assert.Equal(MessagePackError.TooDeep,
            Codec.Refused<Chain, LibraryFormatter<Chain>>(MessagePackSerializer.Serialize(deeper)).Error);

        // Levels of ours above it count.
        Assert.Equal(
            MessagePackError.TooDeep,
            Assert.Throws<MessagePackException>(
                () => Codec.Write<List<Chain>, ListFormatter<Chain, LibraryFormatter<Chain>>>([deepest])).Error);
        Assert.Equal(
            MessagePackError.TooDeep, Codec.Refused<List<Chain>, ListFormatter<Chain, LibraryFormatter<Chain>>>([0x91, .. bytes]).Error);
    }

    [Fact]
    public void Nothing_is_reserved_for_elements_that_were_only_announced() => Assert.Equal(
        MessagePackError.CountExceedsData, Codec.Refused<int[], LibraryFormatter<int[]>>([0xDD, 0x7F, 0xFF, 0xFF, 0xFF]).Error);

    [Fact]
    public void Text_that_is_not_UTF8_is_refused_as_elsewhere() => Assert.Equal(
        MessagePackError.InvalidText, Codec.Refused<string, LibraryFormatter<string>>([0xA2, 0xC3, 0x28]).Error);

    [Fact]
    public void Bytes_that_are_another_type_are_refused_with_their_place()
    {
        MessagePackException error = Codec.Refused<Parcel, LibraryFormatter<Parcel>>([0x93, 1, 2, 0x80]);
        Assert.Equal("IC-1102", error.Code);
        Assert.Contains("cannot be read: MessagePackSerializationException", error.Message, StringComparison.Ordinal);
        Assert.Equal(3, error.Offset); // The library has read the byte that it refuses.
    }

    [Fact]
    public void No_type_is_loaded_by_a_name_that_came_over_the_wire()
    {
        var library = new MessagePackLibrary(TypelessContractlessStandardResolver.Instance);
        byte[] bytes = MessagePackSerializer.Typeless.Serialize(s_parcel);
        MessagePackException error = Assert.Throws<MessagePackException>(() =>
        {
            var reader = new MessagePackReader(bytes, library);
            default(LibraryFormatter<object>).Read(ref reader);
        });
        Assert.Equal("IC-1102", error.Code);
        Assert.Contains("no type is loaded by a name", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Random_bytes_are_read_or_refused_but_nothing_else()
    {
        byte[] good = MessagePackSerializer.Serialize(s_parcel);
        for (int seed = 0; seed < 5000; seed++)
        {
            Random random = new(seed);
            byte[] bytes = [.. good];
            for (int i = random.Next(1, 4); i > 0; i--)
            {
                bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            }

            try
            {
                MessagePackReader reader = new(bytes);
                default(LibraryFormatter<Parcel>).Read(ref reader);
            }
            catch (MessagePackException error)
            {
                Assert.InRange(error.Offset, 0, bytes.Length);
            }
            catch (Exception error)
            {
                Assert.Fail($"Seed {seed}: {error}");
            }
        }
    }

    private static byte[] Write<T, TFormatter>(T value, MessagePackLibrary library)
        where TFormatter : struct, IFormatter<T>
    {
        var output = new ArrayBufferWriter<byte>();
        var writer = new MessagePackWriter(output, library);
        default(TFormatter).Write(ref writer, value);
        writer.Flush();
        Assert.Equal(output.WrittenCount, writer.BytesWritten);
        return output.WrittenSpan.ToArray();
    }
}
