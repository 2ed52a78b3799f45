namespace Ambrosia.Simulation.Tests;

/// <summary>What can happen to one of several replicas, beside everything that can happen to any instance.</summary>
internal enum ReplicaFault
{
    PrimaryKilled,
    SecondaryKilled,
    CheckpointerKilled,
    SeveralKilled,
    AllKilled,
    AppOfSecondaryKilled,
    PrimaryStopped,
    PrimaryStalled,
    SecondaryStalled,
    PrimaryCutOff,
    PlaceSought,
    ReplicaAdded,
    ReplicaRemoved,
    ServiceTroubled,
}
