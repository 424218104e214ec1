/**
 * Says in words what an entry of the audit log is about.
 *
 * @module
 */

type Names = Readonly<Record<string, string>>

/** The words of actions. */
export interface ActionWords {
  /** By the first part of an action. */
  readonly things: Names
  /** By its second part. */
  readonly done: Names
  /** Of whole actions, which come first. */
  readonly whole: Names
}

/** The sentence of an action such as `template.deleted`; one that has none, of a newer service, is shown as it is. */
export const actionName = (action: string, { done, things, whole }: ActionWords): string => {
  const [thing = "", verb = ""] = action.split(".")
  const [noun, participle] = [things[thing], done[verb]]
  return whole[action] ?? (noun === undefined || participle === undefined ? action : `${noun} ${participle}`)
}
