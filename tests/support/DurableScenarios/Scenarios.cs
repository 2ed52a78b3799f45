using System.Collections.Immutable;
using System.Numerics;
using System.Text;

namespace Ambrosia.DurableScenarios;

/// <summary>Methods that suspend in every way C# knows. Each asks others, writes a trace and returns a text.</summary>
public sealed partial class Scenarios : ScenarioHost
{
#if VARIANT_ADDED
    public static int AddedField;

    private static readonly Func<int, int> s_addedLambda = x => x + 1;

    private async DurableTask<int> AddedMethod(int x)
    {
        Func<int, int> f = y => y + x;
        return f(await Ask(s_addedLambda(x)));
    }

    public DurableTask<int> UseAdded() => AddedMethod(AddedField);
#endif

    public DurableTask Pause() => Ping();

    public async DurableTask<string> Straight()
    {
        int first = await Ask(1);
        T(first);
        int second = await Ask(2);
        T(second);
        return $"{first + second}";
    }

    public async DurableTask<string> Changing()
    {
        int first = await Ask(1);
#if VARIANT_CHANGED || VARIANT_CARRY
        T("changed");
#endif
        int second = await Ask(first);
        T(second);
        return $"{first} {second}";
    }

#if VARIANT_CARRY
    [Continues(nameof(Changing))]
    private async DurableTask<string> ChangingV1()
    {
        int first = await Ask(1);
        int second = await Ask(first);
        T(second);
        return $"{first} {second}";
    }

    public DurableTask<string> UseCarried(int x) => x == 0 ? ChangingV1() : "";
#endif

    public async DurableTask<string> AliasIntoState()
    {
        Account acc = Accounts["a"];
        Account partner = acc.Partner = Accounts["b"];
        decimal amount = await Echo(12.50m);
        acc.Balance += amount;
        amount = await Echo(0.10m);
        partner.Balance -= amount;
        T(ReferenceEquals(acc, Accounts["a"]) && ReferenceEquals(acc.Partner, Accounts["b"]));
        return $"{acc.Balance} {Accounts["b"].Balance}";
    }

    public async DurableTask<string> Nested()
    {
        int x = await Middle(3);
        T(x);
        return $"{x + await Middle(4)}";
    }

    private async DurableTask<int> Middle(int n)
    {
        int inner = await Inner(n);
        T($"middle {inner}");
        return inner + await Ask(n);
    }

    private async DurableTask<int> Inner(int n)
    {
        await Ping();
        return await Ask(n) + 1;
    }

    public async DurableTask<string> Recursive() => $"{await Factorial(5)}";

    private async DurableTask<long> Factorial(int n)
    {
        if (n <= 1)
        {
            return await Echo(1L);
        }
        long rest = await Factorial(n - 1);
        T(rest);
        return n * rest + (await Ask(n) * 0);
    }

    public async DurableTask<string> Primitives()
    {
        (byte b, sbyte sb, short s, ushort us, uint ui, long l, ulong ul, char c, float f, double d) =
            (255, -1, -2, 3, 4u, -5L, 6UL, 'x', 1.5f, 2.5);
        (bool t, Guid g, DateTime dt, DateTimeOffset dto, TimeSpan ts, DateOnly date) =
            (true, new Guid("00112233-4455-6677-8899-aabbccddeeff"),
            new DateTime(2024, 2, 29, 1, 2, 3, DateTimeKind.Utc), new DateTimeOffset(2024, 2, 29, 1, 2, 3, TimeSpan.FromHours(2)),
            TimeSpan.FromTicks(7), new DateOnly(2024, 2, 29));
        (Int128 big, Half half, BigInteger huge, int? some, int? none, object boxed, DayOfWeek day, decimal money) =
            (Int128.MaxValue, (Half)0.5, BigInteger.Pow(3, 100), 5, null, 42, DayOfWeek.Friday, 1.10m);
        await Ping();
        T($"{b}{sb}{s}{us}{ui}{l}{ul}{c}{f}{d}{t}{g}{dt:O}{dto:O}{ts}{date:O}{big}{half}{huge}{some}{none}{boxed}{day}{money}");
        boxed = await Ask((int)boxed);
        T($"{b}{sb}{s}{us}{ui}{l}{ul}{c}{f}{d}{t}{g}{dt:O}{dto:O}{ts}{date:O}{big}{half}{huge}{some}{none}{boxed}{day}{money}");
        return $"{dt.Kind}{money}";
    }

    public async DurableTask<string> Loops()
    {
        int sum = 0;
        for (int i = 0; i < 3; i++)
        {
            sum += await Ask(i);
            if (i == 1)
            {
                continue;
            }
            T(sum);
        }
        while (sum < 60)
        {
            sum += await Ask(1);
        }
        do
        {
            sum -= await Ask(2);
        }
        while (sum > 20);
        for (int i = 0, j = 10; i < j; i += 4, j--)
        {
            T($"{i} {j} {await Ask(i * j)}");
        }
        return $"{sum}";
    }

    public async DurableTask<string> Switches()
    {
        int state = 0;
        string path = "";
        while (true)
        {
            switch (state)
            {
                case 0:
                    state = await Ask(1);
                    path += "0";
                    goto case 10;
                case 10:
                    path += await Say("ten");
                    state = 20;
                    break;
                case int n when n > 15 && await Ask(n) > 100:
                    path += "when";
                    return path;
                default:
                    throw new InvalidOperationException("unreachable");
            }
        }
    }

    public async DurableTask<string> Patterns()
    {
        object value = await Echo<object>(new Point(3, 4));
        string text = value switch
        {
            Point { X: 3, Y: var y } when await Ask(y) == 40 => $"point {y} {await Say("p")}",
            Point => "other",
            _ => "none",
        };
        return text;
    }

    public async DurableTask<string> SpilledStack()
    {
        int[] a = [1, 2, 3];
        int i = 0;
        a[i++] += await Ask(i);
        a[i++] = a[i] + await Ask(5) * (i + await Ask(6));
        T(string.Join(",", a));
        string joined = Join(await Say("x"), i++, await Say("y"), i);
        Point p = new(await Ask(1), await Ask(2)) { Tag = await Say("tag") };
        List<int> list = [await Ask(1), i, await Ask(2), .. a];
        Dictionary<string, int> map = new() { ["k"] = await Ask(7), [await Say("l")] = i };
        string? nothing = null;
        string coalesced = nothing ?? await Say("fallback");
        string interpolated = $"{await Say("a")}-{i++}-{await Say("b")}-{i}";
        bool both = await Ask(1) == 10 && await Ask(2) == 20 || await Ask(3) == 0;
        return $"{joined} {p.X}{p.Y}{p.Tag} {string.Join(",", list)} {map["k"]}{map["l!"]} {coalesced} {interpolated} {both}";
    }

    private static string Join(string x, int i, string y, int j) => $"{x}{i}{y}{j}";

    public async DurableTask<string> CatchAndFinally()
    {
        string path = "";
        try
        {
            try
            {
                await Fail("first");
                path += "no";
            }
            catch (InvalidOperationException e) when (e.Message == "first")
            {
                path += $"caught {await Say(e.Message)}";
                await Ping();
                path += e.Message;
                throw;
            }
            finally
            {
                path += $" finally {await Ask(1)}";
            }
        }
        catch (Exception e)
        {
            path += $" outer {e.Message} {await Say("o")}";
            Exception kept = new ArgumentException("kept", e);
            kept.Data["n"] = 5;
            await Ping();
            path += $"{kept.Message}{kept.InnerException!.Message}{kept.Data["n"]}{kept.GetType().Name}";
        }
        return path;
    }

    public async DurableTask<string> ReturnInsideTry()
    {
        string value = await WithFinally();
        T(value);
        return value;
    }

    private async DurableTask<string> WithFinally()
    {
        try
        {
            return await Say("in try");
        }
        finally
        {
            T("before");
            await Ping();
            T("after");
        }
    }

    public async DurableTask<string> UserException()
    {
        try
        {
            await Thrower();
        }
        catch (BankException e)
        {
            await Ping();
            T(e.Account.Owner);
            return $"{e.Code} {ReferenceEquals(e.Account, Accounts["a"])} {e.Message}";
        }
        return "none";
    }

    private async DurableTask Thrower()
    {
        await Ping();
        throw new BankException(17, Accounts["a"]);
    }

    public async DurableTask<string> UncaughtException()
    {
        await Ping();
        await Thrower();
        return "never";
    }

    public async DurableTask<string> WhenAllValues()
    {
        int[] all = await DurableTask.WhenAll(Ask(1), Ask(2), Inner(3), 40, DurableTask.FromResult(50));
        T(string.Join(",", all));
        await DurableTask.WhenAll(Ping(), Thrower2(), default);
        await DurableTask.WhenAll(Ask(1), Say("mixed"));
        return string.Join(",", all);
    }

    private async DurableTask Thrower2() => await Ping();

    public async DurableTask<string> WhenAllFailing()
    {
        DurableTask<int> bad = Fail("bad");
        DurableTask<int> good = Inner(1);
        DurableTask<int> worse = Fail("worse");
        try
        {
            await DurableTask.WhenAll(good, bad, worse);
        }
        catch (InvalidOperationException e)
        {
            T(e.Message);
        }
        return $"{await good} {bad.IsFaulted} {worse.Exception!.Message}";
    }

    public async DurableTask<string> WhenAnyLoop()
    {
        List<DurableTask<int>> left = [Ask(1), Ask(2), Inner(3), Ask(4)];
        string order = "";
        while (left.Count > 0)
        {
            DurableTask<int> done = await DurableTask.WhenAny(left);
            left.Remove(done);
            order += $"{await done},";
        }
        return order;
    }

    public async DurableTask<string> TaskInState()
    {
        Kept = Ask(7);
        await Ping();
        DurableTask<int> local = Kept;
        int first = await local;
        int again = await Kept;
        T(first);
        await Ping();
        return $"{first} {again} {Kept.Result}";
    }

    public async DurableTask<string> AwaitedByTwo()
    {
        DurableTask<int> shared = Inner(5);
        DurableTask<string> one = Waiter("one", shared);
        DurableTask<string> two = Waiter("two", shared);
        string[] both = await DurableTask.WhenAll(two, one);
        return string.Join(" ", both);
    }

    private async DurableTask<string> Waiter(string name, DurableTask<int> shared)
    {
        int value = await shared;
        T(name);
        return $"{name}{value + await Ask(1)}";
    }

    public async DurableTask<string> FailedSynchronously()
    {
        DurableTask<int> failed = FailAtOnce();
        await Ping();
        try
        {
            return $"{await failed}";
        }
        catch (NotSupportedException e)
        {
            return e.Message;
        }
    }

    private static async DurableTask<int> FailAtOnce()
    {
        await DurableTask.CompletedTask;
        throw new NotSupportedException("at once");
    }

    public async DurableTask<string> Completions()
    {
        DurableCompletion<string> completion = new();
        DurableCancellation cancellation = new();
        DurableTask<string> waiting = Wait(completion.Task);
        DurableTask<int> cancelled = Ask(1).WithCancellation(cancellation);
        await Ping();
        completion.SetResult("done");
        cancellation.Cancel();
        string text = await waiting;
        try
        {
            await cancelled;
        }
        catch (OperationCanceledException)
        {
            await Ping();
            text += " cancelled";
        }
        return text + cancellation.IsCancelled;
    }

    private static async DurableTask<string> Wait(DurableTask<string> task) => (await task).ToUpperInvariant();

    public async DurableTask<string> Closures()
    {
        int counter = 0;
        string name = await Say("n");
        async DurableTask<int> Local(int add)
        {
            counter += add;
            counter += await Ask(add);
            T($"{name} {counter}");
            return counter;
        }

        async DurableTask<TValue> Generic<TValue>(TValue value)
        {
            counter++;
            return await Echo(value);
        }

        static async DurableTask<int> Static(Scenarios self, int x) => await self.Ask(x) + 1;
        DurableTask<int> one = Local(1);
        DurableTask<int> two = Local(2);
        int sum = await one + await two + await Static(this, 3);
        return $"{sum} {counter} {await Generic("g")} {await Generic((1, 2))} {counter}";
    }

    public async DurableTask<string> Lambdas()
    {
        int factor = await Ask(1);
        Func<int, DurableTask<int>> scale = async x =>
        {
            int y = await Ask(x);
            Func<int, DurableTask<int>> inner = async z => factor++ + await Ask(z) + y;
            return await inner(2) + await inner(3);
        };
        Func<int, int> plain = x => x * factor;
        Func<string, DurableTask<string>> noCapture = static async s => s + await DurableTask.FromResult("?");
        Func<int, DurableTask<int>> group = Inner;
        List<Func<int>> captured = [];
        foreach (int item in new[] { 1, 2, 3 })
        {
            captured.Add(() => item + factor);
        }
        int first = await scale(1);
        int second = plain(2) + await scale(2);
        return $"{first} {second} {await noCapture("q")} {await group(1)} {string.Join(",", captured.Select(f => f()))}";
    }

    public async DurableTask<string> Iterating()
    {
        string text = "";
        foreach (int i in new[] { 1, 2 })
        {
            text += await Ask(i);
        }
        foreach (char c in "ab")
        {
            text += c + await Say($"{c}");
        }
        foreach (int i in new[,] { { 1, 2 }, { 3, 4 } })
        {
            text += await Ask(i);
        }
        foreach ((string key, Account account) in Accounts)
        {
            account.Balance += await Ask(1);
            if (key == "a")
            {
                Accounts.Remove("a");
                Accounts["c"] = new Account { Owner = "late" };
            }
            text += $"{key}{account.Owner}";
        }
        DurableList<int> list = [1, 2, 3];
        foreach (int i in list)
        {
            if (i == 2)
            {
                list.Add(9);
            }
            text += await Ask(i);
        }
        foreach (int i in new DurableSet<int> { 5, 4 })
        {
            text += await Ask(i);
        }
        foreach (string key in Accounts.Keys)
        {
            text += await Say(key);
        }
        foreach (int i in Numbers(3))
        {
            text += await Ask(i);
        }
        foreach (int i in new CountDown(2))
        {
            text += await Ask(i);
        }
        return text;
    }

    private static IEnumerable<int> Numbers(int count)
    {
        for (int i = 0; i < count; i++)
        {
            yield return i * i;
        }
    }

    public async DurableTask<string> Collections()
    {
        List<int> list = [1, 2];
        Dictionary<string, List<int>> map = new() { ["x"] = list };
        HashSet<Point> points = [new Point(1, 2)];
        Queue<int> queue = new([1, 2, 3]);
        Stack<int> stack = new([1, 2, 3]);
        SortedDictionary<string, int> sorted = new() { ["b"] = 1, ["a"] = 2 };
        LinkedList<string> linked = new(["p", "q"]);
        PriorityQueue<string, int> priority = new([("low", 5), ("high", 1)]);
        ImmutableList<int> immutable = [1, 2];
        ImmutableDictionary<string, int> immutableMap = ImmutableDictionary<string, int>.Empty.Add("k", 1);
        ImmutableArray<int> array = [4, 5];
        StringBuilder builder = new("sb");
        int[][] jagged = [[1], [2, 3]];
        Memory<int> memory = new int[] { 1, 2, 3 }.AsMemory(1);
        Type type = typeof(Dictionary<string, Point>);
        object[] self = new object[2];
        self[0] = self;
        await Ping();
        list.Add(await Ask(3));
        builder.Append(await Say("s"));
        int two = await Ask(2);
        memory.Span[0] = two;
        return $"{ReferenceEquals(map["x"], list)}{map["x"][2]}{points.Contains(new Point(1, 2))}"
            + $"{queue.Dequeue()}{stack.Pop()}{sorted.Keys.First()}"
            + $"{linked.First!.Value}{priority.Dequeue()}{immutable[1]}{immutableMap["k"]}{array[1]}"
            + $"{builder}{jagged[1][1]}{memory.Span[0]}{type.Name}{ReferenceEquals(self[0], self)}";
    }

    public async DurableTask<string> ShapesOfTypes()
    {
        var anonymous = new { Name = await Say("anon"), Value = 5 };
        var pair = (Left: anonymous, Right: new Size(3, 4));
        Person person = new("Ada", 36) { Friend = null };
        person = person with { Friend = person };
        IShape shape = new Square(3);
        object boxed = new Size(1, 2);
        (int, (string, Point)) nested = (1, ("n", new Point(1, 1)));
        Node ring = new(1, null!);
        ring.Next = new Node(2, ring);
        await Ping();
        T(anonymous.Name);
        return $"{pair.Left.Name}{pair.Right.Width}{person.Friend!.Name}{person}{shape.Area}{((Size)boxed).Height}"
            + $"{nested.Item2.Item2.X}{ring.Next.Next.Value}{await Ask(anonymous.Value)}{ReferenceEquals(pair.Left, anonymous)}";
    }

    public async DurableTask<string> GenericMethods()
    {
        string a = await Twice("t");
        (int, int) b = await Twice((1, 2));
        string c = await new Holder<Point, string>(this).Swap(new Point(1, 2), "s");
        return $"{a}{b}{c}{await new Derived(this).Compute(2)}";
    }

    private async DurableTask<TValue> Twice<TValue>(TValue value)
        where TValue : notnull
    {
        TValue first = await Echo(value);
        List<TValue> both = [first, await Echo(value)];
        T(both.Count);
        return both[1];
    }

    public async DurableTask<string> UsingDeclarations()
    {
        List<string> log = [];
        using (new Disposed(log, "sync"))
        {
            log.Add(await Say("in"));
        }
        await using (new AsyncDisposed(this, log))
        {
            log.Add(await Say("async in"));
        }
        return string.Join(",", log);
    }

    public async DurableTask<string> StructMethod()
    {
        Runner runner = new(this, 5);
        int value = await runner.Run();
        return $"{value} {runner.Count}";
    }

    public async DurableTask<string> StoredBoxOfFinished()
    {
        DurableTask<int> finished = Inner(1);
        while (!finished.IsCompleted)
        {
            await Ping();
        }
        T("finished");
        await Ping();
        return $"{await finished}";
    }

    public async DurableTask<string> NullsAndDefaults()
    {
        string? none = null;
        int? nothing = null;
        Account? account = null;
        DurableTask<int> task = default;
        CancellationToken token = default;
        await Ping();
        return $"{none}{nothing}{account?.Owner}{await task}{token.CanBeCanceled}";
    }

    public async DurableTask<string> ManyAtOnce()
    {
        List<DurableTask<int>> tasks = [];
        for (int i = 0; i < 12; i++)
        {
            tasks.Add(Inner(i % 3));
        }
        int[] results = await DurableTask.WhenAll(tasks);
        return $"{results.Sum()}";
    }

    public async DurableTask<string> CompoundAssignment()
    {
        Total = 5;
        DurableTask<int> other = Bump();
        Total += await Ask(1); // Reads Total before the await, as everywhere in C#.
        int seen = await other;
        return $"{Total} {seen}";
    }

    private async DurableTask<int> Bump()
    {
        int add = await Ask(3);
        Total += add;
        return Total;
    }
}
