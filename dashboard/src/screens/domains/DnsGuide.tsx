/**
 * Instructions for publishing a domain's DNS records, by DNS provider, and for showing its logo in inboxes.
 *
 * @module
 */
import { optionsOf } from "../../lib/options.ts"
import { useState } from "react"
import { Field, Fields, Select } from "../../parts/form/Field.tsx"
import { Card, Section } from "../../parts/page/Page.tsx"
import { useDeliveryTexts } from "../../texts/delivery/useDeliveryTexts.ts"

/** The sections of a domain's screen. */
export const DnsGuide = ({ domain }: { readonly domain: string }) => {
  const { guide: texts } = useDeliveryTexts()
  const [provider, setProvider] = useState("other")
  return (
    <>
      <Section title={texts.title} text={texts.text}>
        <Card>
          <Fields>
            <Field label={texts.provider}>
              <Select
                value={provider}
                onChange={(event) => setProvider(event.target.value)}
                options={optionsOf(texts.names)}
              />
            </Field>
          </Fields>
          <p role="status">{texts.steps[provider]}</p>
        </Card>
      </Section>
      <Section title={texts.bimi} text={texts.bimiText(`default._bimi.${domain}`)} />
    </>
  )
}
