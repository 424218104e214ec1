/**
 * The texts of the editors in English: segments, templates and flows. Only their screens load them.
 *
 * @module
 */

type Names = Readonly<Record<string, string>>

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

/** The texts. */
export const editorsEn = {
  meanwhile: {
    by: (name: string) => `${name} changed this while you were editing. Nothing of yours is saved yet.`,
    bySomeone: "This was changed while you were editing. Nothing of yours is saved yet.",
    compare: "What is saved now, and what you have",
    takeTheirs: "Drop mine and show what is saved",
    saveMine: "Save mine over it"
  },
  leave: {
    title: "Leave without saving?",
    text: "What you changed here is lost then.",
    leave: "Leave",
    stay: "Stay"
  },
  segment: {
    add: "New segment",
    edit: "Edit",
    empty: "Segments appear here",
    emptyText: "A segment is a saved rule that selects people. Make one to see how many it selects.",
    new: "New segment",
    name: "Name",
    description: "Description",
    rules: "Rules",
    join: "Select people who match",
    joins: { All: "all of these rules", Any: "any of these rules" } as Names,
    noRules: "Without a rule, everybody is selected.",
    addRule: "Add a rule",
    rule: (number: string) => `Rule ${number}`,
    field: "Field",
    operator: "Condition",
    value: "Value",
    from: "From",
    to: "To",
    count: "Times",
    days: "Days",
    eventName: "Event",
    eventHint: "Such as order.placed",
    values: "Values",
    valuesHint: "Enter adds one",
    addValue: "Add",
    removeValue: (value: string) => `Remove ${value}`,
    removeRule: (number: string) => `Remove rule ${number}`,
    inWords: "In words",
    groups: {
      person: "Person",
      activity: "Activity",
      attributes: "Your fields",
      topics: "Topics",
      events: "Events"
    },
    anEvent: "An event…",
    fields: {
      email: "Address",
      firstName: "First name",
      lastName: "Last name",
      phone: "Phone",
      city: "City",
      countryCode: "Country",
      language: "Language",
      consentStatus: "Consent",
      tags: "Tags",
      orderCount: "Number of orders",
      totalSpent: "Total spent",
      isPayingCustomer: "Paying customer",
      lastOrderAt: "Last order",
      lastOpenAt: "Last open",
      lastClickAt: "Last click",
      lastEmailedAt: "Last email",
      addedAt: "Added"
    } as Names,
    topic: (name: string) => `Topic ${name}`,
    event: (name: string) => `event ${name}`,
    operators: {
      Equals: "is",
      NotEquals: "is not",
      Contains: "contains",
      NotContains: "does not contain",
      StartsWith: "begins with",
      EndsWith: "ends with",
      In: "is one of",
      NotIn: "is none of",
      GreaterThan: "is more than",
      GreaterOrEqual: "is at least",
      LessThan: "is less than",
      LessOrEqual: "is at most",
      Between: "is between",
      Before: "is before",
      After: "is after",
      On: "is on",
      InLastDays: "was in the last",
      NotInLastDays: "was not in the last",
      InNextDays: "is in the next",
      IsTrue: "is true",
      IsFalse: "is false",
      HasAny: "has any of",
      HasAll: "has all of",
      HasNone: "has none of",
      HappenedAtLeast: "happened at least",
      HappenedLessThan: "happened less than",
      IsSet: "is known",
      IsNotSet: "is not known"
    } as Names,
    everybody: "Everybody.",
    sentence: (join: string, clauses: ReadonlyArray<string>) =>
      clauses.length === 1
        ? `People for whom ${clauses[0]}.`
        : `People for whom ${join === "Any" ? "any" : "all"} of these hold: ${clauses.join("; ")}.`,
    quoted: (text: string) => `“${text}”`,
    between: (from: string, to: string) => `${from} and ${to}`,
    inDays: (shown: string, count: number) => `${shown} ${plural(count, "day", "days")}`,
    times: (count: string, days: string, isOne: boolean) =>
      `${isOne ? "once" : `${count} times`} in ${days} days`,
    counted: "Who this selects",
    counting: "Counting…",
    incomplete: (numbers: string) => `Complete rule ${numbers} to count.`,
    selected: "Selected",
    reached: "Would get email",
    rest: "Would not get email",
    causes: {
      Bounced: "The address bounced",
      Complained: "They complained",
      Protected: "The address is on the protective list",
      TopicOff: "The topic is off",
      NoConsent: "No consent"
    } as Names,
    everyoneReached: "Everybody selected would get it.",
    forTopic: "Email about",
    anyTopic: "No topic",
    sample: "Some of them",
    noSample: "No person matches.",
    noSampleRight: "Your role does not show people.",
    noName: "No address",
    create: "Create",
    created: (name: string) => `${name} was created`,
    saved: "Saved",
    remove: "Delete",
    removeTitle: (name: string) => `Delete ${name}?`,
    removeText: "The people stay. Campaigns and lists that use the segment no longer can.",
    removed: (name: string) => `${name} was deleted`,
    showPeople: "Show people",
    builtIn: "Every account has this segment. It cannot be changed; copy it to make your own.",
    copy: "Copy",
    copyName: (name: string) => `Copy of ${name}`
  }
}

/** The texts of a language. */
export type EditorTexts = typeof editorsEn
