using Microsoft.Extensions.Logging;

namespace Ambrosia.Runtime;

/// <summary>What the app's log says about attempts that failed: not every one.</summary>
internal sealed class AttemptReports(string instance, ILogger logger)
{
    private readonly HashSet<Type> _missing = [];

    /// <summary>An attempt failed and there will be another one.</summary>
    public void Failed(RunningEffect running, Exception failure)
    {
        EffectContract contract = running.Effect.Contract;
        if (failure is MissingPerformerException)
        {
            // One mistake, however many effects wait for the class and however often.
            if (SetMissing(contract, true))
            {
                BindingLog.PerformerMissing(logger, instance, failure.Message);
            }
        }
        else if (running.Attempts is 1 or 3 or 10 || running.Attempts % 30 == 0)
        {
            BindingLog.EffectFailed(logger, $"{contract.InterfaceName}.{running.Effect.Method.Name}", running.Effect.Key.ToString(),
                running.Attempts, running.LastError ?? "");
        }
    }

    /// <summary>Something performs these effects.</summary>
    public void HasPerformer(EffectContract contract) => SetMissing(contract, false);

    private bool SetMissing(EffectContract contract, bool isMissing)
    {
        lock (_missing)
        {
            return isMissing ? _missing.Add(contract.InterfaceType) : _missing.Remove(contract.InterfaceType);
        }
    }
}
