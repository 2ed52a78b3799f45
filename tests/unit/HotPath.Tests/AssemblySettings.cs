// Allocations of the whole process are counted: nothing else may run meanwhile.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
