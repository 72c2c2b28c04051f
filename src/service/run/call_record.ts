/** Records what a call changes in the project (S39). */
export interface CallRecord {
  /** Works, and notes what changed meanwhile as of the operation `id`; sentences for the result. */
  around<Result>(
    call: { readonly id: string; readonly title: string },
    work: () => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly notes: readonly string[] }>;
}
