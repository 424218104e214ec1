/**
 * Each change of a person's consent, with its proof.
 *
 * @module
 */
import { useList } from "../../../api/queries.ts"
import { useTexts } from "../../../app/reader.tsx"
import { Button } from "../../../parts/form/Button.tsx"
import { ErrorBanner } from "../../../parts/page/Banner.tsx"
import { Entry, Nothing, Rows } from "../../../parts/page/Columns.tsx"
import { Card, LoadingLines, Section } from "../../../parts/page/Page.tsx"
import { Badge } from "../../../parts/show/Badge.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"
import { consentTones } from "../consent.ts"
import { saveFile } from "../../../lib/saveFile.ts"

/** The history. */
export const ConsentHistory = ({
  accountId,
  contactId
}: {
  readonly accountId: string
  readonly contactId: string
}) => {
  const { people: texts } = useTexts()
  const { error, hasMore, isLoading, items, loadMore, reload } = useList(
    "GET /accounts/:accountId/contacts/:id/consent-history",
    { params: { accountId, id: contactId } }
  )
  return (
    <Section
      title={texts.consentHistory}
      actions={
        items.length > 0 &&
        !hasMore && (
          <Button
            isSmall
            onClick={() =>
              saveFile(`consent-${contactId}.json`, "application/json", JSON.stringify(items, null, 2))
            }
          >
            {texts.downloadConsent}
          </Button>
        )
      }
    >
      {error !== null && <ErrorBanner error={error} onRetry={reload} />}
      {isLoading ? (
        <LoadingLines count={2} />
      ) : (
        <Card isFlush>
          {items.length === 0 && <Nothing>{texts.noConsent}</Nothing>}
          <Rows>
            {items.map(({ at, from, proof, source, to }) => (
              <Entry
                key={`${at} ${to} ${source}`}
                end={<RelativeTime at={at} form="moment" />}
                text={
                  proof !== null && (
                    <>
                      <q dir="auto">{proof.text}</q>
                      <br />
                      {[
                        [texts.proofVersion, proof.textVersion],
                        [texts.proofLocale, proof.locale],
                        [texts.proofNetwork, proof.ipAddress],
                        [texts.proofAt, proof.givenAt]
                      ]
                        .filter(([, value]) => value !== null)
                        .map(([label, value]) => `${label}: ${value}`)
                        .join(" · ")}
                    </>
                  )
                }
              >
                {from !== null && <span>{`${texts.consents[from] ?? from} →`}</span>}
                <Badge tone={consentTones[to] ?? "neutral"}>{texts.consents[to] ?? to}</Badge>
                <span>{texts.consentVia(texts.sources[source] ?? source)}</span>
              </Entry>
            ))}
          </Rows>
        </Card>
      )}
      {hasMore && (
        <div>
          <Button isSmall onClick={loadMore}>
            {texts.moreEvents}
          </Button>
        </div>
      )}
    </Section>
  )
}
