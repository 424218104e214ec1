/**
 * A person's flow runs, each with a link.
 *
 * @module
 */
import { Link } from "@tanstack/react-router"
import { useExtra, useList } from "../../../api/queries.ts"
import { useTexts } from "../../../app/reader.tsx"
import { Entries } from "../../../parts/list/Entries.tsx"
import { Entry } from "../../../parts/page/Columns.tsx"
import { Section } from "../../../parts/page/Page.tsx"
import { Badge } from "../../../parts/show/Badge.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"
import { useRecordTexts } from "../../../texts/records/useRecordTexts.ts"
import { runTones } from "../../flows/describe.ts"

/** The section of the screen. */
export const RunsOf = ({
  accountId,
  contactId
}: {
  readonly accountId: string
  readonly contactId: string
}) => {
  const { flows: texts } = useTexts()
  const { runsOf } = useRecordTexts()
  const list = useList("GET /accounts/:accountId/contacts/:id/runs", {
    params: { accountId, id: contactId },
    query: { limit: 10 }
  })
  const flows = useExtra("GET /accounts/:accountId/flows", { params: { accountId }, query: { limit: 200 } })
  const names = new Map(flows?.items.map(({ id, name }) => [id, name]))
  return (
    <Section title={runsOf.title}>
      <Entries list={list} empty={runsOf.empty}>
        {({ flowId, id, startedAt, status }) => (
          <Entry key={id} end={<RelativeTime at={startedAt} />}>
            <Link
              to="/a/$accountId/flows/$flowId"
              params={{ accountId, flowId }}
              search={{ run: id }}
              dir="auto"
            >
              {names.get(flowId) ?? texts.name}
            </Link>
            <Badge tone={runTones[status] ?? "neutral"}>{texts.runStates[status]}</Badge>
          </Entry>
        )}
      </Entries>
    </Section>
  )
}
