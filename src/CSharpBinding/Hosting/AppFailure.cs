using Ambrosia.Protocol;

namespace Ambrosia.Hosting;

/// <summary>The one place where a failure of an immortal becomes the exit code of its process and a sentence.</summary>
internal static class AppFailure
{
    /// <summary>The exit code; null for a failure that nobody has foreseen.</summary>
    public static AppExitCode? CodeOf(Exception failure) => failure switch
    {
        LinkClosedException => AppExitCode.CoordinatorLost,
        UpgradeFailedException => AppExitCode.UpgradeFailed,
        OptionException => AppExitCode.Usage,
        CoordinatorUnavailableException { CoordinatorCode: { } code } when CoordinatorExit.IsRefusal(code) => (AppExitCode)code,
        CoordinatorUnavailableException or BindingRefusedException => AppExitCode.Unavailable,
        BuildRefusedException or CannotResumeException or EffectDivergedException or CheckpointException { NeedsAnotherBuild: true } =>
            AppExitCode.BuildRefused,
        HandlerFaultException or StateChangedByQueryException or ProtocolException or CheckpointException or CannotSaveException
            or PlatformNotSupportedException => AppExitCode.Failed,
        _ => null,
    };

    /// <summary>What happened, and what to do where the failure itself does not say it.</summary>
    public static string TextOf(Exception failure) =>
        CodeOf(failure) == AppExitCode.CoordinatorLost ? $"{failure.Message} Nothing that was logged is lost: start the app again."
            : failure.Message;
}
