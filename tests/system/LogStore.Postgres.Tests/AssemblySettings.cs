// One server for all, and tests that load the machine: one at a time.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
