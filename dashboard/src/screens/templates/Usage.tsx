/**
 * Where a template is used, and when it was used last.
 *
 * @module
 */
import { Link } from "@tanstack/react-router"
import { useApi } from "../../api/queries.ts"
import { useAccount } from "../../app/session.ts"
import { Entry, Nothing, Rows } from "../../parts/page/Columns.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Card, Section } from "../../parts/page/Page.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useRecordTexts } from "../../texts/records/useRecordTexts.ts"

/** The part of the screen. */
export const Usage = ({ templateId }: { readonly templateId: string }) => {
  const { usage: texts } = useRecordTexts()
  const { id: accountId } = useAccount()
  const query = useApi("GET /accounts/:accountId/templates/:id/usage", {
    params: { accountId, id: templateId }
  })
  return (
    <Section title={texts.title}>
      <Loaded query={query}>
        {({ flows, lastUsedAt }) => (
          <Card isFlush>
            {flows.length === 0 && <Nothing>{texts.nowhere}</Nothing>}
            <Rows>
              {flows.map(({ id, isPublished, name }) => (
                <Entry key={id} text={isPublished ? texts.published : texts.draft}>
                  <Link to="/a/$accountId/flows/$flowId" params={{ accountId, flowId: id }}>
                    <bdi>{name}</bdi>
                  </Link>
                </Entry>
              ))}
              <Entry end={lastUsedAt === null ? texts.never : <RelativeTime at={lastUsedAt} />}>
                {texts.last}
              </Entry>
            </Rows>
          </Card>
        )}
      </Loaded>
    </Section>
  )
}
