using System.Buffers;
using Ambrosia.Builds;
using Ambrosia.Link;
using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>
/// Refuses to go on, before anything is sent, with a state or a message that another build has saved or executed and that this one would
/// lose or execute otherwise. What lies after a checkpoint was executed by the build that saved it, for a build that finds another's
/// checkpoint saves its own before it acts (docs/guide/builds.md).
/// </summary>
internal sealed class BuildCheck(ImmortalRuntime runtime, RuntimeSettings settings)
{
    private BuildComparison? _comparison;
    private BuildManifest? _old;
    private BuildManifest? _present;
    private bool _oldIsUnknown;
    private string _executed = "";
    private string _accept = "";
    private bool _warned;
    private IReadOnlyList<string> _packages = [];

    /// <summary>Whether the coordinator takes part: debuggers and tests of new code execute a log by other builds on purpose.</summary>
    public bool IsOn => (runtime.Welcome.Features & BindingFeatures.Builds) != 0;

    /// <summary>Whether another build saved the checkpoint that was loaded.</summary>
    public bool IsOther { get; private set; }

    /// <summary>What this build is called, once a checkpoint was loaded.</summary>
    public string Name { get; private set; } = "";

    /// <summary>A checkpoint was loaded.</summary>
    /// <param name="header">Its head.</param>
    /// <param name="losses">What had no place.</param>
    /// <exception cref="BuildRefusedException">Something that was saved would be lost.</exception>
    public void Loaded(AppStateHeader header, StateLosses losses)
    {
        if (!IsOn)
        {
            return;
        }

        (_comparison, _old, _oldIsUnknown, IsOther, _packages) = (null, header.Manifest, header.Manifest is null, false, []);
        _executed = "";
        Type type = runtime.Immortal.GetType();
        if (header.Manifest is { } recorded && recorded.Modules == BuildScan.ModulesOf(type))
        {
            BuildScan.Remember(type, recorded);
            Name = recorded.Build;
            return;
        }

        _present = BuildScan.Of(runtime.Immortal.GetType(), runtime.Immortal.GetContract);
        Name = _present.Build;
        IsOther = header.Manifest?.Build != _present.Build;
        BuildComparison? comparison = header.Manifest is null ? null : new BuildComparison(header.Manifest, _present);
        string[] lost =
        [
            .. losses.Fields,
            .. losses.Enums.Select(saved => comparison?.OfSavedEnum(WireTypes.NameOfEnum(saved))).OfType<string>()
                .Order(StringComparer.Ordinal),
            .. losses.Calls.Where(call => comparison?.Methods.GetValueOrDefault(call.Method)?.Kind == BuildDifferenceKind.Lost)
                .Select(call => $"schedule '{call.Schedule}' calls {comparison!.Methods[call.Method].Text}"),
            .. header.Saved.Length > 0 && comparison?.OfOwnFormat(TypeNames.Display(type)) is { } format ? [format] : Array.Empty<string>(),
        ];
        IEnumerable<BuildDifference> methods = comparison?.Methods.Values ?? Enumerable.Empty<BuildDifference>();
        string[] inMessages = [.. methods.Select(static method => $"{method.Kind} {method.Text}").Order(StringComparer.Ordinal)];
        string[] builds = [header.Manifest?.Build ?? "", _present.Build, .. lost, .. inMessages];
        _accept = CodeReach.HashOf(string.Join('\n', builds))[..6];
        IsOther |= lost.Length > 0;
        if (!IsOther)
        {
            return;
        }

        if (IsAccepted())
        {
            BindingLog.BuildAccepted(settings.Logger, runtime.Welcome.Instance, settings.Accept, _present.Short, OldShort);
            _oldIsUnknown = false;
            runtime.Effects.ExpectOthers();
            return;
        }

        if (lost.Length > 0)
        {
            throw Refuse([.. lost.Select(static text => "lost: " + text)]);
        }

        (_comparison, _packages) = (comparison, comparison?.Packages ?? []);
        BindingLog.OtherBuild(settings.Logger, runtime.Welcome.Instance, _present.Short, OldShort, Summary(comparison));
    }

    /// <summary>
    /// The state was converted: what the build of the version before has executed is behind. What follows an upgrade that a replay crosses
    /// was executed by a build that the log names, without its handlers: where it is another one, each of them may have changed.
    /// </summary>
    /// <param name="executed">The build that has executed what follows; "" if nobody wrote it down, null if nothing follows.</param>
    public void Converted(string? executed)
    {
        if (!IsOn)
        {
            return;
        }

        _present = BuildScan.Of(runtime.Immortal.GetType(), runtime.Immortal.GetContract);
        (Name, _comparison, _old, _packages, _executed) = (_present.Build, null, null, [], executed ?? "");
        (_oldIsUnknown, IsOther) = (executed is { Length: 0 }, executed is not null && executed != Name);
        if (_oldIsUnknown)
        {
            BindingLog.UnknownBuildAfterUpgrade(settings.Logger, runtime.Welcome.Instance, runtime.Clock.Lsn);
        }

        if (!IsOther || _oldIsUnknown)
        {
            _executed = "";
            return;
        }

        _accept = CodeReach.HashOf($"{executed}\n{Name}\n{runtime.Immortal.GetType().FullName}")[..6];
        if (IsAccepted())
        {
            BindingLog.BuildAccepted(settings.Logger, runtime.Welcome.Instance, settings.Accept, _present.Short, OldShort);
            runtime.Effects.ExpectOthers();
            _executed = "";
        }
    }

    /// <summary>A message that an app has executed before is about to be executed.</summary>
    /// <exception cref="BuildRefusedException">This build has no place for it, or would do something else.</exception>
    public void BeforeCall(int methodId, MessagePosition at)
    {
        WarnOfPackages(at);
        if (_comparison?.Methods.TryGetValue(methodId, out BuildDifference? difference) == true)
        {
            Require(difference, at);
        }
        else if ((_oldIsUnknown || _executed.Length > 0) && methodId > 0
            && !runtime.Immortal.GetContract().Methods.Any(method => method.Id == methodId))
        {
            Require(new BuildDifference(BuildDifferenceKind.Lost,
                $"method {methodId} is not in this build. Keep it, or use [MethodId({methodId})]"), at);
        }
        else if (_executed.Length > 0)
        {
            Require(AfterUpgrade, at);
        }
    }

    /// <summary>A reply that an app has executed before is about to resume something.</summary>
    /// <exception cref="BuildRefusedException">What it resumes may be other code.</exception>
    public void BeforeResume(MessagePosition at)
    {
        WarnOfPackages(at);
        if (_executed.Length > 0)
        {
            Require(AfterUpgrade, at);
        }
        else if (_comparison?.OfSuspended is { } difference)
        {
            Require(difference, at);
        }
    }

    /// <summary>Tells the coordinator how this build and the one of what was loaded or crossed relate.</summary>
    public void Tell(LinkWriter writer)
    {
        if (IsOn)
        {
            var data = new ArrayBufferWriter<byte>();
            new BuildCompared(IsOther, Name).Write(data);
            writer.SubmitControl(BindingMessageType.BuildCompared, data.WrittenSpan);
        }
    }

    private string OldShort => _old?.Short ?? (_executed.Length > 0 ? _executed[..Math.Min(6, _executed.Length)] : "that is not known");

    private BuildDifference AfterUpgrade => new(BuildDifferenceKind.OtherCode,
        $"it lies after an upgrade to {runtime.Immortal.GetType().FullName}, whose checkpoint cannot be read. Build {OldShort} has "
            + "executed it, and this build may do something else");

    private void WarnOfPackages(MessagePosition at)
    {
        if (_packages.Count > 0)
        {
            BindingLog.OtherPackages(settings.Logger, runtime.Welcome.Instance, at.ToString(), string.Join(", ", _packages));
            _packages = [];
        }
    }

    private static string Summary(BuildComparison? comparison)
    {
        if (comparison is null)
        {
            return "what differs is not known, for the checkpoint is of an older release";
        }

        IEnumerable<string> all =
        [
            .. comparison.Methods.Values.Select(static difference => difference.Text.Split(". ")[0]),
                .. comparison.Added.Select(static added => $"{added} is new"), .. comparison.Packages,
        ];
        string[] texts = [.. all.Order(StringComparer.Ordinal)];
        return texts.Length == 0 ? "no handler differs" : string.Join(", ", texts.Take(5)) + (texts.Length > 5
            ? $" and {texts.Length - 5} more" : "");
    }

    private void Require(BuildDifference difference, MessagePosition at)
    {
        if (difference.Kind == BuildDifferenceKind.OtherCode && settings.AcceptsOtherCode)
        {
            if (!_warned)
            {
                BindingLog.OtherCodeAccepted(settings.Logger, runtime.Welcome.Instance, at.ToString(), difference.Text);
            }

            _warned = true;
            runtime.Effects.ExpectOthers();
            return;
        }

        string others = string.Join("; ", _comparison?.Methods.Values.Where(other => other != difference).Select(static other => other.Text)
            ?? []);
        string[] lines = [$"{(difference.Kind == BuildDifferenceKind.Lost ? "lost" : "other code")}: message {at}, which was executed "
            + $"before: {difference.Text}"];
        throw Refuse(others.Length == 0 ? lines : [.. lines, $"also different: {others}"], difference.Kind);
    }

    private bool IsAccepted()
    {
        AcceptedBuilds accepted = AcceptedBuilds.Of(settings.Accept);
        if (accepted.All && !QueryService.IsDebugBuild(runtime.Immortal.GetType()))
        {
            throw new BuildRefusedException($"--accept any is for builds for debugging; this one may get --accept {_accept} "
                + $"({BuildRefusedException.Code})", _accept);
        }

        return accepted.Contains(_accept);
    }

    private BuildRefusedException Refuse(string[] lines, BuildDifferenceKind kind = BuildDifferenceKind.Lost)
    {
        string old = kind == BuildDifferenceKind.OtherCode ? $"\n  Start build {OldShort}, and stop it or run ambrosia checkpoint: what "
            + $"it has executed needs no replay then. Then start this one. (Debug and Release are other code.)" : "";
        return new BuildRefusedException(
            $"this build does not fit the log; nothing was sent or changed ({BuildRefusedException.Code})\n  log: build {OldShort}; this: "
                + $"{_present?.Short}\n  "
            + string.Join("\n  ", lines) + old + $"\nOr convert (docs/guide/upgrade.md), or accept exactly this: --accept {_accept} "
                + "(in a host: AMBROSIA_ACCEPT)",
            _accept);
    }
}
