/**
 * The changes to a person's consent, with the proof of each.
 *
 * @module
 */
import { Entries } from "../../../parts/list/Entries.tsx"
import { useList } from "../../../api/queries.ts"
import { useTexts } from "../../../app/reader.tsx"
import { ButtonLink } from "../../../parts/form/Button.tsx"
import { Entry } from "../../../parts/page/Columns.tsx"
import { Section } from "../../../parts/page/Page.tsx"
import { Badge } from "../../../parts/show/Badge.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"
import { consentTones } from "../consent.ts"

/** The history. */
export const ConsentHistory = ({
  accountId,
  contactId
}: {
  readonly accountId: string
  readonly contactId: string
}) => {
  const { people: texts } = useTexts()
  const list = useList("GET /accounts/:accountId/contacts/:id/consent-history", {
    params: { accountId, id: contactId }
  })
  return (
    <Section
      title={texts.consentHistory}
      actions={
        list.items.length > 0 && (
          <ButtonLink
            isSmall
            to="/a/$accountId/people/contacts/$contactId/consent"
            params={{ accountId, contactId }}
          >
            {texts.consentProof}
          </ButtonLink>
        )
      }
    >
      <Entries list={list} empty={texts.noConsent}>
        {({ at, from, proof, source, to }) => (
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
        )}
      </Entries>
    </Section>
  )
}
