/**
 * The links between the screens of people.
 *
 * @module
 */
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { useTexts } from "../../app/reader.tsx"

/** The links. */
export const PeopleTabs = () => {
  const {
    people: { tabs, title }
  } = useTexts()
  return (
    <AreaTabs
      label={title}
      tabs={[
        [tabs.contacts, "/a/$accountId/people", "contacts:read"],
        [tabs.segments, "/a/$accountId/people/segments", "segments:read"],
        [tabs.topics, "/a/$accountId/people/topics", "segments:read"],
        [tabs.fields, "/a/$accountId/people/fields", "segments:read"],
        [tabs.imports, "/a/$accountId/people/imports", "contacts:read"],
        [tabs.jobs, "/a/$accountId/people/jobs", "contacts:read"]
      ]}
    />
  )
}
