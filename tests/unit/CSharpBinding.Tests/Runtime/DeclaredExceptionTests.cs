using System.Buffers;
using Ambrosia.Runtime;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

/// <summary>Exceptions that an interface declares keep type and data on their way; all others stay what they were.</summary>
public sealed class DeclaredExceptionTests
{
    private static readonly DeclaredExceptions s_declared = DeclaredExceptions.Of(typeof(DeclaredExceptionTests));

    [Fact]
    public void A_declared_exception_arrives_as_itself_with_its_data_its_message_and_the_other_sides_trace()
    {
        var paid = new NoMoneyException(13, ["a", "b"]) { Currency = "EUR" };

        NoMoneyException arrived = Assert.IsType<NoMoneyException>(Send(paid, s_declared, s_declared));

        Assert.Equal((13, "EUR", "13 missing"), (arrived.Missing, arrived.Currency, arrived.Message));
        Assert.Equal(["a", "b"], arrived.Accounts);
        Assert.Equal(typeof(NoMoneyException).FullName, Assert.IsType<RemoteException>(arrived.InnerException).RemoteType);
    }

    [Fact]
    public void An_exception_of_a_primary_constructor_that_one_method_declares_arrives_too() =>
        Assert.Equal(7, Assert.IsType<LockedException>(Send(new LockedException(7), s_declared, s_declared)).Until);

    [Fact]
    public void An_exception_that_nobody_declares_arrives_as_a_RemoteException()
    {
        RemoteException arrived = Assert.IsType<RemoteException>(Send(new UndeclaredException(), s_declared, s_declared));

        Assert.Equal(typeof(UndeclaredException).FullName, arrived.RemoteType);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_side_that_does_not_know_the_declaration_reads_and_writes_the_text_alone(bool sends)
    {
        Exception arrived = Send(new NoMoneyException(13, []), sends ? s_declared : null, sends ? null : s_declared);

        Assert.Equal("13 missing", Assert.IsType<RemoteException>(arrived).Message);
    }

    [Fact]
    public void Data_that_cannot_be_written_leave_the_text() =>
        Assert.IsType<RemoteException>(Send(new CircularException(), s_declared, s_declared));

    [Fact]
    public void An_exception_inside_another_keeps_its_data()
    {
        var outer = new InvalidOperationException("outer", new NoMoneyException(5, []));

        Exception arrived = Send(outer, s_declared, s_declared);

        Assert.IsType<InvalidOperationException>(arrived);
        Assert.Equal(5, Assert.IsType<NoMoneyException>(arrived.InnerException!.InnerException).Missing);
    }

    private static Exception Send(Exception error, DeclaredExceptions? sender, DeclaredExceptions? receiver)
    {
        var bytes = new ArrayBufferWriter<byte>();
        var writer = new MessagePackWriter(bytes);
        ExceptionCodec.Write(ref writer, error, sender);
        writer.Flush();
        return ExceptionCodec.Read(bytes.WrittenSpan, receiver);
    }
}
