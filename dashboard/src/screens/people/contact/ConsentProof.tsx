/**
 * A document that proves a person's consent: each change with its proof, to print, save as PDF, or download.
 *
 * @module
 */
import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { readText, urlOf, type ValueOf } from "../../../api/call.ts"
import type { ApiError } from "../../../api/errors.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { saveFile } from "../../../lib/saveFile.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { Loaded } from "../../../parts/page/Loaded.tsx"
import { Card, Facts, Page, Section } from "../../../parts/page/Page.tsx"

const route = getRouteApi("/shell/a/$accountId/people/contacts/$contactId/consent")

const path = "/accounts/:accountId/contacts/:id/consent-history/export"

interface Proof {
  readonly contactId: string
  readonly email: string | null
  readonly consentStatus: string
  readonly exportedAt: string
  /** Oldest first. */
  readonly changes: ValueOf<"GET /accounts/:accountId/contacts/:id/consent-history">["items"]
}

/** The screen. */
export const ConsentProof = () => {
  const { people: texts } = useTexts()
  const format = useFormat()
  const { accountId, contactId } = route.useParams()
  const query = useQuery<string, ApiError>({
    queryKey: [path, accountId, contactId],
    queryFn: ({ signal }) => readText(urlOf(path, { accountId, id: contactId }), { signal }),
    // Each read is recorded in the audit log, so the data are not refreshed.
    staleTime: Infinity
  })
  const exact = (at: string) => format.exact(new Date(at))
  const document = query.data
  return (
    <Page
      isNarrow
      title={texts.consentProof}
      text={texts.proofText}
      back={{
        link: { to: "/a/$accountId/people/contacts/$contactId", params: { accountId, contactId } },
        label: texts.person
      }}
      actions={
        document !== undefined && (
          <>
            <Button onClick={() => saveFile(`consent-${contactId}.json`, "application/json", document)}>
              {texts.downloadConsent}
            </Button>
            <Button tone="primary" onClick={() => print()}>
              {texts.print}
            </Button>
          </>
        )
      }
    >
      <Loaded thing="Contact" query={query}>
        {(text) => {
          const { changes, consentStatus, email, exportedAt } = JSON.parse(text) as Proof
          return (
            <>
              <Card>
                <Facts
                  facts={[
                    email === null ? null : [texts.fields.email, email],
                    [texts.consent, texts.consents[consentStatus] ?? consentStatus],
                    [texts.facts.id, <code key="id">{contactId}</code>],
                    [texts.proofExported, exact(exportedAt)]
                  ]}
                />
              </Card>
              {changes.map(({ at, basis, from, proof, source, to }) => {
                const facts = [
                  [texts.proofSource, texts.sources[source] ?? source],
                  [texts.proofBasis, basis === null ? null : (texts.bases[basis] ?? basis)],
                  [texts.proofWords, proof?.text],
                  [texts.proofVersion, proof?.textVersion],
                  [texts.proofLocale, proof?.locale],
                  [texts.proofNetwork, proof?.ipAddress],
                  [texts.proofAt, proof?.givenAt == null ? null : exact(proof.givenAt)]
                ] as const
                return (
                  // Changes have no ids.
                  <Section
                    key={`${at} ${to} ${basis} ${proof?.text}`}
                    title={[from, to]
                      .flatMap((one) => (one === null ? [] : [texts.consents[one] ?? one]))
                      .join(" → ")}
                    text={exact(at)}
                  >
                    <Card>
                      <Facts facts={facts.map(([name, value]) => (value == null ? null : [name, value]))} />
                    </Card>
                  </Section>
                )
              })}
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}
