using Ambrosia.CodeGen.Tests.Support;

namespace Ambrosia.CodeGen.Tests;

/// <summary>What an immortal interface may not look like, with the exact words that its author reads.</summary>
public sealed class RefusedInterfaceTests
{
    private const string Effects = "[EffectInterface] public interface IPay { ";
    private const string Resolvers = """
        public class Plain : MessagePack.IFormatterResolver { public MessagePack.Formatters.IMessagePackFormatter<T>? GetFormatter<T>() => null; }
        public class Open<T> : Plain; file class Hidden : Plain; public class Unmade : Plain { public Unmade(int n) { } }
        """;

    private const string Lost = ": the standard resolver of MessagePack-CSharp loses its value. "
        + "Make it public, mark it [IgnoreMember], or name StandardResolverAllowPrivate by [Resolver] on the interface";

    private const string NotPublic = "is to travel, but it is not public" + Lost;
    private const string NotSet = "is to travel, but it can be set neither from outside nor by a constructor" + Lost;
    private const string Head = "[ImmortalInterface] public interface IShop { ";

    [Theory]
    [InlineData("[ImmortalInterface] public interface IShop<T> { void Sell(T item); }",
        "AMB001 Error (1): Interface IShop is generic; an immortal interface has no type parameters, because a message could not say "
        + "which ones were meant")]
    [InlineData("public class Outer { [ImmortalInterface] public interface IShop { void Sell(); } }",
        "AMB002 Error (1): Interface IShop is nested in Outer; declare it directly in a namespace, so that its base class and proxy can "
        + "stand beside it")]
    [InlineData("[ImmortalInterface] file interface IShop { void Sell(); }",
        "AMB003 Error (1): Interface IShop is local to its file; make it internal or public, so that generated code can name it")]
    [InlineData(Head + "int Stock { get; } }",
        "AMB004 Error (1): IShop.Stock is a property; an immortal interface has methods only, write a method that returns the "
        + "value instead")]
    [InlineData(Head + "event Action Sold; }",
        "AMB004 Error (1): IShop.Sold is an event; an immortal interface has methods only, write a method that returns the value instead")]
    [InlineData(Head + "int this[int i] { get; } }",
        "AMB004 Error (1): IShop.this[] is an indexer; an immortal interface has methods only, write a method that returns the "
        + "value instead")]
    [InlineData(Head + "void Sell<T>(T item); }",
        "AMB005 Error (1): Method IShop.Sell is generic; a message could not say which type was meant, write one method per type")]
    [InlineData(Head + "int Twice(int n) => 2 * n; }",
        "AMB006 Error (1): Method IShop.Twice is static or has a body; an immortal interface only declares, the class derived from "
        + "IShop implements")]
    [InlineData(Head + "static int Twice(int n) => 2 * n; }",
        "AMB006 Error (1): Method IShop.Twice is static or has a body; an immortal interface only declares, the class derived from "
        + "IShop implements")]
    [InlineData(Head + "void Sell(out int count); }",
        "AMB007 Error (1): Parameter 'count' of Sell is passed by out; arguments travel as copies, pass it by value and return "
        + "what changes")]
    [InlineData(Head + "void Sell(in Guid id); }",
        "AMB007 Error (1): Parameter 'id' of Sell is passed by in; arguments travel as copies, pass it by value and return what changes")]
    [InlineData(Head + "ValueTask<int> Sell(); }",
        "AMB008 Error (1): Method IShop.Sell returns ValueTask<int>; return data, void, Task or Task<T>")]
    [InlineData(Head + "IAsyncEnumerable<int> Sell(); }",
        "AMB008 Error (1): Method IShop.Sell returns IAsyncEnumerable<int>; return data, void, Task or Task<T>")]
    [InlineData(Head + "ref int Sell(); }",
        "AMB008 Error (1): Method IShop.Sell returns a reference; return data, void, Task or Task<T>")]
    [InlineData(Head + "void Sell(CancellationToken cancel); }",
        "AMB009 Error (1): Parameter 'cancel' of Sell is a CancellationToken, which cannot travel; remove it, a caller limits its wait "
        + "with .WithTimeout(TimeSpan)")]
    [InlineData(Head + "[MethodId(5)] void Sell(); [MethodId(5)] void Buy(); }",
        "AMB011 Error (1): Methods Sell() and Buy() have the same id 5; give one of them another with [MethodId]")]
    [InlineData(Head + "[MethodId(-1)] void Sell(); }",
        "AMB012 Error (1): [MethodId(-1)] of IShop.Sell is out of range; ids are 1 to 2147483647, the others belong to the runtime")]
    [InlineData(Head + "void Sell(int n); void SellAsync(int n); }",
        "AMB013 Error (1): Methods Sell(System.Int32) and SellAsync(System.Int32) both become SellAsync on the proxy; rename one of them")]
    [InlineData(Head + "void Sell(); } public class ShopProxy;",
        "AMB014 Error (1): ShopProxy cannot be generated for IShop, because another type has that name; rename the interface or that type")]
    [InlineData("[ImmortalInterface, Resolver(typeof(string))] public interface IShop { void Sell(); }",
        "AMB025 Error (1): [Resolver(typeof(string))] of IShop is not valid: it does not implement MessagePack.IFormatterResolver")]
    [InlineData(Resolvers + "[ImmortalInterface, Resolver(typeof(Open<>))] public interface IShop { void Sell(); }",
        "AMB025 Error (2): [Resolver(typeof(Open<>))] of IShop is not valid: it is an open generic type")]
    [InlineData(Resolvers + "[ImmortalInterface, Resolver(typeof(Hidden))] public interface IShop { void Sell(); }",
        "AMB025 Error (2): [Resolver(typeof(Hidden))] of IShop is not valid: generated code cannot name it; make it public or internal")]
    [InlineData(Resolvers + "[ImmortalInterface, Resolver(typeof(Unmade))] public interface IShop { void Sell(); }",
        "AMB025 Error (2): [Resolver(typeof(Unmade))] of IShop is not valid: it has neither a public static member Instance nor a public "
        + "constructor without parameters")]
    [InlineData(Head + "void LogTime(); }",
        "AMB019 Error (1): Method IShop.LogTime has the name of a member of Immortal; rename it")]
    [InlineData(Head + "string ToString(int format); }",
        "AMB019 Error (1): Method IShop.ToString has the name of a member of Object; rename it")]
    public async Task Interface_is_refused(string source, string expected) => Assert.Equal([expected], await Analysis.RunAsync(source));

    [Theory]
    [InlineData("[EffectInterface, ImmortalInterface] public interface IPay { }",
        "AMB030 Error (1): Interface IPay is marked [EffectInterface] and [ImmortalInterface]; an immortal is called through its log, "
        + "effects are performed by an ordinary class: use one of them")]
    [InlineData(Effects + "DurableTask<int> Charge(EffectContext effect); }",
        "AMB031 Error (1): Method IPay.Charge returns DurableTask<int>; an effect is performed by an ordinary class outside of turns, "
        + "return Task or Task<T>")]
    [InlineData(Effects + "Task Charge(EffectContext one, EffectContext two); }",
        "AMB032 Error (1): Method IPay.Charge takes more than one EffectContext; one tells all there is")]
    [InlineData(Effects + "Task Charge(string card); }",
        "AMB033 Warning (1): Method IPay.Charge takes no EffectContext, so the receiver cannot tell a repetition by its id; add a "
        + "parameter of that type, or mark the method [Idempotent] if it may be performed twice")]
    [InlineData(Effects + "[Retry(Within = \"soon\")] Task Charge(EffectContext effect); }",
        "AMB034 Error (1): [Retry(Within = \"soon\")] of IPay.Charge is not valid; write a time as \"hours:minutes:seconds\" or "
        + "\"days.hours:minutes:seconds\", more than none and at most 36500 days")]
    [InlineData(Effects + "[Retry(Timeout = \"21.00:00:00\")] Task Charge(EffectContext effect); }",
        "AMB034 Error (1): [Retry(Timeout = \"21.00:00:00\")] of IPay.Charge is not valid; write a time as \"hours:minutes:seconds\" or "
        + "\"days.hours:minutes:seconds\", more than none and at most 20 days")]
    [InlineData(Effects + "[Retry(First = \"00:02:00\")] Task Charge(EffectContext effect); }",
        "AMB034 Error (1): [Retry(Longest = \"00:01:00\")] of IPay.Charge is not valid; the longest pause is not shorter than the first")]
    [InlineData(Effects + "[Retry(Attempts = -1)] Task Charge(EffectContext effect); }",
        "AMB034 Error (1): [Retry(Attempts = -1)] of IPay.Charge is not valid; a number of attempts is not negative, and 0 sets no limit")]
    [InlineData(Effects + "[Query] Task Charge(EffectContext effect); }",
        "AMB035 Error (1): [Query] of IPay.Charge has no meaning for effects; remove it")]
    [InlineData("[EffectInterface(MaxPending = 0)] public interface IPay { Task Charge(EffectContext effect); }",
        "AMB036 Error (1): [EffectInterface(MaxPending = 0)] of IPay is not valid; it is at least 1")]
    [InlineData(Effects + "Task Charge(EffectContext effect); } public class PayEffects;",
        "AMB014 Error (1): PayEffects cannot be generated for IPay, because another type has that name; rename the interface or that type")]
    [InlineData(Effects + "ValueTask<int> Charge(EffectContext effect); }",
        "AMB008 Error (1): Method IPay.Charge returns ValueTask<int>; return data, void, Task or Task<T>")]
    public async Task Interface_of_effects_is_refused(string source, string expected) =>
        Assert.Equal([expected], await Analysis.RunAsync(source));

    [Theory]
    [InlineData("object thing", "",
        "object could be anything; name the type, or list the possible ones with [Union] on a common base class")]
    [InlineData("dynamic thing", "", "dynamic could be anything; name the type")]
    [InlineData("Action thing", "", "Action is a delegate; code cannot travel, send data and let the receiver decide")]
    [InlineData("nint thing", "", "nint has another size on another machine; use long or ulong")]
    [InlineData("System.IO.Stream thing", "", "Stream is a stream; send its bytes, in several messages if they are many")]
    [InlineData("Exception thing", "", "Exception is an exception; throw it, or send a record of what the receiver needs")]
    [InlineData("List<Task<int>> thing", "", "Task<int> is a task; await it and send its result")]
    [InlineData("ShopProxy thing", "", "there is no type yet")]
    [InlineData("DurableDictionary<string, int> thing", "",
        "DurableDictionary<string, int> is state of one immortal; send a List, Dictionary or HashSet made from it")]
    [InlineData("System.Text.StringBuilder thing", "",
        "there is no formatter for StringBuilder; use a type of your own, or one of those listed in docs/guide/csharp.md")]
    [InlineData("int[,] thing", "", "int[,] has more than one dimension; use an array of arrays")]
    [InlineData("Span<byte> thing", "", "Span<byte> lives on the stack only; use an array or Memory<byte>")]
    [InlineData("IThing thing", "public interface IThing;",
        "IThing is an interface; list the types that may stand for it with [Union(tag, typeof(...))]")]
    [InlineData("Thing thing", "public abstract class Thing;",
        "Thing is abstract; list the types that may stand for it with [Union(tag, typeof(...))]")]
    [InlineData("Thing thing", "public class Thing : List<int>;",
        "Thing is a collection of its own kind; use a List, Dictionary, HashSet or array")]
    [InlineData("(int, int, int, int, int, int, int, int) thing", "",
        "there is no formatter for (int, int, int, int, int, int, int, int); use a type of your own, or one of those listed in "
        + "docs/guide/csharp.md")]
    public async Task Parameter_is_refused(string parameter, string types, string reason)
    {
        string[] found = await Analysis.RunAsync($"{Head}void Sell({parameter}); }}\n{types}");
        if (reason == "there is no type yet")
        {
            // A proxy of the same build is not generated yet when the interface is read: the name is unknown.
            Assert.Equal(["AMB010 Error (1): Parameter 'thing' of Sell cannot be sent: ShopProxy is not known; the compiler says why"],
                found);
            return;
        }

        Assert.Equal([$"AMB010 Error (1): Parameter 'thing' of Sell cannot be sent: {reason}"], found);
    }

    [Theory]
    [InlineData("object thing", "object could be anything; name the type, or list the possible ones with [Union] on a common base class")]
    [InlineData("Action thing", "Action is a delegate; code cannot travel, send data and let the receiver decide")]
    [InlineData("Task<int> thing", "Task<int> is a task; await it and send its result")]
    [InlineData("DurableList<int> thing", "DurableList<int> is state of one immortal; send a List, Dictionary or HashSet made from it")]
    public async Task Parameter_is_refused_whatever_a_resolver_knows(string parameter, string reason) => Assert.Equal(
        [$"AMB010 Error (1): Parameter 'thing' of Sell cannot be sent: {reason}"],
        await Analysis.RunAsync($"[ImmortalInterface, Resolver] public interface IShop {{ void Sell({parameter}); }}"));

    [Theory]
    [InlineData("[MessagePackObject] public class Thing { [Key(0)] private int Count { get; set; } }", NotPublic)]
    [InlineData("[MessagePackObject] public class Thing { [Key(0)] private int Count; public int Get() => Count++; }", NotPublic)]
    [InlineData("[MessagePackObject] public class Thing { [Key(0)] public int Count { private get; set; } }", NotPublic)]
    [InlineData("[MessagePackObject] public class Thing { [Key(0)] public int Count { get; private set; } }", NotSet)]
    [InlineData("[MessagePackObject(true)] public class Thing { public int Count { get; internal set; } }", NotSet)]
    [InlineData("[MessagePackObject] public class Thing { public Thing(string count) { } [Key(0)] public int Count { get; } }", NotSet)]
    [InlineData("[MessagePackObject] public class Thing { [Key(0)] public readonly int Count; }", NotSet)]
    [InlineData("public class Thing { [Key(0)] private int Count { get; set; } } [MessagePackObject] public class Derived : Thing;",
        NotPublic, "Derived")]
    [InlineData("[MessagePackObject] public class Thing { [Key(0)] private int Count { get; set; } }", NotPublic,
        "Dictionary<string, Thing[]>")]
    [InlineData("[MessagePackObject] public class Thing { [Key(0)] private int Count { get; set; } } public record Own(Thing Part);",
        NotPublic, "Own")]
    [InlineData("[MessagePackObject] public class Thing { [Key(0)] private int Count { get; set; } } [MessagePackObject] public class All "
        + "{ [Key(0)] public List<Thing>? Of; }", NotPublic, "All")]
    [InlineData("[MessagePackObject] public class Thing : IAny { [Key(0)] private int Count { get; set; } } [MessagePack.Union(0, "
        + "typeof(Thing))] public interface IAny;", NotPublic, "IAny")]
    [InlineData("[DataContract] public class Thing { [DataMember] private int Count { get; set; } }",
        "has [DataMember], but it is not public: its value is lost. Make it public, or remove the attribute")]
    public async Task A_marked_member_that_would_be_lost_is_warned_of(string types, string problem, string sent = "Thing") => Assert.Equal(
        [$"AMB026 Warning (3): Thing.Count {problem}"],
        await Analysis.RunAsync($"using System.Runtime.Serialization; using MessagePack;\n{Head}void Sell({sent} thing); }}\n{types}"));

    [Theory]
    [InlineData("[MessagePackObject] public class Thing(int count) { [Key(0)] public int Count { get; } = count; [Key(1)] public int "
        + "Twice => Count * 2; int _own; public int Own() => _own++; }")]
    [InlineData("[MessagePackObject(true)] public record Thing(int Count) { private int Own { get; } = Count; }")]
    [InlineData("[MessagePackObject] public class Thing { [IgnoreMember] public int Count { get; private set; } }")]
    [InlineData("[MessagePackObject, MessagePackFormatter(typeof(Form))] public class Thing { [Key(0)] private int Count { get; set; } } "
        + "public class Form;")]
    [InlineData("[MessagePackObject] public class Thing { [Key(0)] private int Count { get; set; } }",
        ", Resolver(typeof(MessagePack.Resolvers.StandardResolverAllowPrivate))")]
    [InlineData("[DataContract] public class Thing { [DataMember] public int Count { get; set; } private int Own { get; set; } }")]
    public async Task A_member_that_arrives_passes(string types, string more = "") => Assert.Empty(await Analysis.RunAsync(
        $"using System.Runtime.Serialization; using MessagePack;\n[ImmortalInterface{more}] public interface IShop {{ void Sell(Thing "
        + $"thing); }}\n{types}"));

    [Fact]
    public async Task A_refusal_names_the_path_to_the_member_that_cannot_be_sent() => Assert.Equal(
        ["AMB010 Error (1): The result of Sell, member Order.Lines, member Line.Source cannot be sent: Stream is a stream; send its "
            + "bytes, in several messages if they are many"],
        await Analysis.RunAsync(Head + """
            Order Sell(); }
            public record Order(List<Line> Lines);
            public record Line(System.IO.Stream Source);
            """));

    [Theory]
    [InlineData("public class Thing { public int Count { get; } }",
        "AMB015 Error (2): Thing.Count is sent but could not be set where it arrives; add an init accessor or a constructor parameter of "
        + "its name and type, or mark it [IgnoreDataMember]")]
    [InlineData("public class Thing { public int Count { get; private set; } }",
        "AMB015 Error (2): Thing.Count is sent but could not be set where it arrives; add an init accessor or a constructor parameter of "
        + "its name and type, or mark it [IgnoreDataMember]")]
    [InlineData("public class Thing { public Thing(int other) { } public int Count { get; set; } }",
        "AMB016 Error (2): Thing has no public constructor whose parameters all have the name and type of a member; add one, or a "
        + "parameterless one")]
    [InlineData("[System.Runtime.Serialization.DataContract] public class Thing { [System.Runtime.Serialization.DataMember(Order = 0)] "
        + "public int A; [System.Runtime.Serialization.DataMember] public int B; }",
        "AMB017 Error (2): Thing: either every [DataMember] has an Order or none has")]
    [InlineData("[System.Runtime.Serialization.DataContract] public class Thing { [System.Runtime.Serialization.DataMember(Order = 1)] "
        + "public int A; [System.Runtime.Serialization.DataMember(Order = 1)] public int B; }",
        "AMB017 Error (2): Thing: two members have the same Order")]
    [InlineData("[System.Runtime.Serialization.DataContract] public class Thing { [System.Runtime.Serialization.DataMember(Order = 256)] "
        + "public int A; }",
        "AMB017 Error (2): Thing: Order 256 is above 255, and each number up to it takes a byte in every message")]
    [InlineData("[System.Runtime.Serialization.DataContract] public class Thing { [System.Runtime.Serialization.DataMember(Name = \"x\")] "
        + "public int A; [System.Runtime.Serialization.DataMember(Name = \"x\")] public int B; }",
        "AMB017 Error (2): Thing: two members have the same Name")]
    [InlineData("[Union(1, typeof(A)), Union(1, typeof(B))] public abstract record Thing; public record A : Thing; public "
        + "record B : Thing;",
        "AMB018 Error (2): [Union(1, typeof(B))] of Thing is not valid: the tag stands for another type already")]
    [InlineData("[Union(1, typeof(A)), Union(2, typeof(A))] public abstract record Thing; public record A : Thing;",
        "AMB018 Error (2): [Union(2, typeof(A))] of Thing is not valid: the type has a tag already")]
    [InlineData("[Union(1, typeof(A))] public abstract record Thing; public record A;",
        "AMB018 Error (2): [Union(1, typeof(A))] of Thing is not valid: the type does not derive from it")]
    [InlineData("[Union(1, typeof(A))] public abstract record Thing; public abstract record A : Thing;",
        "AMB018 Error (2): [Union(1, typeof(A))] of Thing is not valid: the type is abstract, so no value can be of it")]
    public async Task Type_is_refused(string type, string expected) =>
        Assert.Equal([expected], await Analysis.RunAsync($"{Head}void Sell(Thing thing); }}\n{type}"));
}
