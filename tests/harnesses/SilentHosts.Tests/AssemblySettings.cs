// Each test loads the machine: one at a time.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
