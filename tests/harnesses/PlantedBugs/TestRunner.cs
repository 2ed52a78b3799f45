using System.Reflection;
using System.Runtime.Loader;

namespace Ambrosia.PlantedBugs;

/// <summary>
/// Runs facts and theories of a test assembly in this process, one after the other, up to the first that fails. It starts ten times faster
/// than a test host, which counts when each bug needs a process of its own. Knows what the harnesses use: inline data, test output,
/// fixtures, disposal.
/// </summary>
internal sealed class TestRunner(string repository, TextWriter output)
{
    /// <summary>Every test passed; there was none to run; one failed by an assertion; one threw something else.</summary>
    public const int Passed = 0, NothingToRun = 2, Violated = 3, Threw = 4;

    /// <summary>
    /// How the line begins that says which test failed and of what, and the one that says that none did. Without its line an exit code
    /// counts for nothing: what is tested may exit, too.
    /// </summary>
    public const string FailedLine = "FAILED ", PassedLine = "PASSED ";

    /// <summary>How a runner that goes on says that a harness has ended, before its code.</summary>
    public const string EndedLine = "ENDED ";

    private static readonly TimeSpan s_abandoning = TimeSpan.FromSeconds(2);
    private static readonly HashSet<string> s_folders = [];

    private readonly Dictionary<Type, object> _fixtures = [];
    private int _ran;

    /// <summary>Runs a harness and returns one of the codes above. The first failed test and its message are printed.</summary>
    public async Task<int> RunAsync(Harness harness)
    {
        try
        {
            return await RunAllAsync(harness);
        }
        finally
        {
            foreach (object fixture in _fixtures.Values)
            {
                await CallAsync(fixture, "DisposeAsync");
            }
        }
    }

    /// <summary>Reads a bug and a harness from each line and runs it, in this process, one after the other.</summary>
    public static async Task<int> ServeAsync(string repository)
    {
        TextWriter output = Console.Out;
        while (await Console.In.ReadLineAsync() is { } line && line.Split('\t') is [var bug, var harness])
        {
            Console.SetOut(output);
            Console.SetError(output);
            Choose(bug);
            int code = await new TestRunner(repository, output).RunAsync(Harness.Parse(harness));
            output.WriteLine($"{EndedLine}{code}");
        }

        return 0;
    }

    // What is loaded has a switch of its own in each assembly; what is loaded or started later reads it from the environment.
    private static void Choose(string bug)
    {
        Environment.SetEnvironmentVariable("AMBROSIA_PLANTED_BUG", bug);
        foreach (Assembly assembly in AppDomain.CurrentDomain.GetAssemblies())
        {
            assembly.GetType("Ambrosia.Planted.PlantedBug")?.GetField("s_chosen", BindingFlags.NonPublic | BindingFlags.Static)!
                .SetValue(null, bug);
        }
    }

    private async Task<int> RunAllAsync(Harness harness)
    {
        if (!File.Exists(harness.AssemblyIn(repository)))
        {
            output.WriteLine($"there is no {harness.AssemblyIn(repository)}");
            return NothingToRun;
        }

        foreach (MethodInfo method in Load(harness).GetTypes().Where(type => type.Name == harness.Class)
            .SelectMany(type => type.GetMethods()).Where(method => method.Name.StartsWith(harness.Method, StringComparison.Ordinal)))
        {
            foreach (object?[] arguments in Cases(method))
            {
                _ran++;
                if (await RunOneAsync(method, arguments) is { } failure)
                {
                    output.WriteLine($"{FailedLine}{method.Name}: {failure.GetType().Name}: {failure.Message}");
                    return IsAssertion(failure.GetType()) ? Violated : Threw;
                }
            }
        }

        output.WriteLine(_ran == 0 ? $"there is no test {harness}" : $"{PassedLine}{_ran} tests");
        return _ran == 0 ? NothingToRun : Passed;
    }

    // By name: each test assembly brings an xunit of its own.
    private static bool IsAssertion(Type? type) =>
        type is not null && (type.FullName == "Xunit.Sdk.XunitException" || IsAssertion(type.BaseType));

    private Assembly Load(Harness harness)
    {
        string path = harness.AssemblyIn(repository);
        string folder = Path.GetDirectoryName(path)!;
        if (s_folders.Add(folder))
        {
            AssemblyLoadContext.Default.Resolving += (context, name) =>
                Path.Combine(folder, name.Name + ".dll") is var found && File.Exists(found) ? context.LoadFromAssemblyPath(found) : null;
        }

        return AssemblyLoadContext.Default.LoadFromAssemblyPath(path);
    }

    private static IEnumerable<object?[]> Cases(MethodInfo method)
    {
        string[] kinds = [.. method.GetCustomAttributes().Select(attribute => attribute.GetType().Name)];
        return kinds.Contains("FactAttribute") ? [[]]
            : method.GetCustomAttributesData().Where(data => data.AttributeType.Name == "InlineDataAttribute")
                .Select(data => data.ConstructorArguments[0].Value is IEnumerable<CustomAttributeTypedArgument> values
                    ? values.Select(Value).ToArray() : [null]);
    }

    private static object? Value(CustomAttributeTypedArgument argument)
    {
        if (argument.Value is not IReadOnlyCollection<CustomAttributeTypedArgument> values)
        {
            return argument.ArgumentType.IsEnum ? Enum.ToObject(argument.ArgumentType, argument.Value!) : argument.Value;
        }

        var array = Array.CreateInstance(argument.ArgumentType.GetElementType()!, values.Count);
        int at = 0;
        foreach (CustomAttributeTypedArgument value in values)
        {
            array.SetValue(Value(value), at++);
        }

        return array;
    }

    private async Task<Exception?> RunOneAsync(MethodInfo method, object?[] arguments)
    {
        object? instance = null;
        try
        {
            instance = await MakeAsync(method.ReflectedType!);
            await CallAsync(instance, "InitializeAsync");
            if (method.Invoke(instance, arguments) is Task task)
            {
                await task;
            }

            await DisposeAsync(instance);
            return null;
        }
        catch (TargetInvocationException error)
        {
            await AbandonAsync(instance);
            return error.InnerException;
        }
#pragma warning disable CA1031 // Whatever a test throws is its failure.
        catch (Exception error)
#pragma warning restore CA1031
        {
            await AbandonAsync(instance);
            return error;
        }
    }

    private static async Task DisposeAsync(object instance)
    {
        (instance as IDisposable)?.Dispose();
        await ((instance as IAsyncDisposable)?.DisposeAsync() ?? default);
        await CallAsync(instance, "DisposeAsync");
    }

    // What a failed test has left must not disturb the next one, and may well not let itself be disposed of.
    private static async Task AbandonAsync(object? instance)
    {
        if (instance is null)
        {
            return;
        }

        try
        {
            await Task.Run(() => DisposeAsync(instance)).WaitAsync(s_abandoning);
        }
#pragma warning disable CA1031 // The test has failed already; this says nothing more.
        catch (Exception)
#pragma warning restore CA1031
        {
            // The silence that is required of the harness afterwards tells whether that mattered.
        }
    }

    private async Task<object> MakeAsync(Type type)
    {
        ConstructorInfo constructor = type.GetConstructors()[0];
        var arguments = new List<object>();
        foreach (Type wanted in constructor.GetParameters().Select(static parameter => parameter.ParameterType))
        {
            arguments.Add(wanted.IsInterface
                ? typeof(DispatchProxy).GetMethod(nameof(DispatchProxy.Create), 2, [])!.MakeGenericMethod(wanted, typeof(TestOutput))
                .Invoke(null, null)!
                : await FixtureAsync(wanted));
        }

        return constructor.Invoke([.. arguments]);
    }

    /// <summary>What tests of a collection share: made for the first, disposed of behind the last.</summary>
    private async Task<object> FixtureAsync(Type type)
    {
        if (!_fixtures.TryGetValue(type, out object? fixture))
        {
            _fixtures[type] = fixture = Activator.CreateInstance(type)!;
            await CallAsync(fixture, "InitializeAsync");
        }

        return fixture;
    }

    private static Task CallAsync(object fixture, string method) =>
        fixture.GetType().GetMethod(method, [])?.Invoke(fixture, null) as Task ?? Task.CompletedTask;
}
