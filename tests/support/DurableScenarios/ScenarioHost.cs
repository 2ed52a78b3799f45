using System.Reflection;

namespace Ambrosia.DurableScenarios;

/// <summary>Stands for an immortal: state in fields, and calls to others that are answered later.</summary>
public abstract class ScenarioHost
{
    public World World = null!;
    public DurableDictionary<string, Account> Accounts = new() { ["a"] = new Account { Owner = "a" }, ["b"] = new Account { Owner = "b" } };
    public DurableTask<int> Kept;
    public int Total;

    public DurableTask<string> Run(string name)
    {
        MethodInfo method = GetType().GetMethod(name)!;
        return (DurableTask<string>)method.Invoke(this, null)!;
    }

    public string StateText() => $"{Total} {string.Join(",", Accounts.Select(pair => $"{pair.Key}={pair.Value.Balance}"))}";

    protected void T(object? what) => World.Trace.Add($"{what}");

    protected DurableTask<int> Ask(int value)
    {
        TestCall<int> call = new(value * 10, null);
        World.Calls.Add(call);
        return call.Task;
    }

    protected DurableTask<string> Say(string value)
    {
        TestCall<string> call = new(value + "!", null);
        World.Calls.Add(call);
        return call.Task;
    }

    protected DurableTask<TValue> Echo<TValue>(TValue value)
    {
        TestCall<TValue> call = new(value, null);
        World.Calls.Add(call);
        return call.Task;
    }

    protected DurableTask Ping() => Ask(0);

    protected DurableTask<int> Fail(string error)
    {
        TestCall<int> call = new(0, error);
        World.Calls.Add(call);
        return call.Task;
    }
}
