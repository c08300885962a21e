import { MAX_METADATA_KEYS, type Metadata } from '@svc/protocol';
import { useState } from 'react';
import { useAct } from '../api/hooks.ts';
import type { InputOf } from '../api/operations.ts';
import { say } from '../text/index.ts';
import { inColumns } from './blocks.tsx';
import { TextField } from './field.tsx';
import { FormDialog, useClose } from './form.tsx';
import { toast } from './status.tsx';

type Rows = readonly (readonly [key: string, value: string])[];
type Noted = 'updateList' | 'updateDevice';

interface MetadataDialogProps<Id extends Noted> {
  readonly operation: Id;
  readonly params: InputOf<Id>['params'];
  readonly before: Metadata | undefined;
}

/** The organiser's own keys and values of a list or a door, in rows of which the last one is empty. */
export function MetadataDialog<Id extends Noted>({ operation, params, before = {} }: MetadataDialogProps<Id>) {
  const close = useClose();
  const [rows, setRows] = useState<Rows>(Object.entries(before));
  const update = useAct<Noted>(operation, {
    onSuccess: () => {
      toast({ text: say('app.saved') });
      close();
    },
  });
  const isFull = rows.length >= MAX_METADATA_KEYS || rows.at(-1)?.join('') === '';
  const shown = isFull ? rows : [...rows, ['', ''] as const];
  const set = (at: number, to: Rows[number]) => setRows(shown.map((row, index) => (index === at ? to : row)));
  const isTwice = (key: string, at: number) => key !== '' && rows.findIndex(([other]) => other === key) < at;
  function save(): void {
    const removed = Object.keys(before).map((key) => [key, null] as const);
    const metadata = Object.fromEntries([...removed, ...rows.filter(([key]) => key !== '')]);
    update.mutate({ params, body: { metadata } } as InputOf<Noted>);
  }
  return (
    <FormDialog
      title={say('metadata.title')}
      act={update}
      action={say('app.save')}
      isDisabled={rows.some(([key], at) => isTwice(key, at))}
      onSubmit={save}
    >
      <p>{say('metadata.lead')}</p>
      {shown.map(([key, value], at) => (
        <div className="svcd-columns" key={at} style={inColumns('10rem')}>
          <TextField
            label={say('metadata.key')}
            value={key}
            maxLength={40}
            error={isTwice(key, at) ? say('metadata.twice') : undefined}
            onChange={(to) => set(at, [to, value])}
          />
          <TextField
            label={say('metadata.value')}
            value={value}
            maxLength={500}
            onChange={(to) => set(at, [key, to])}
          />
        </div>
      ))}
    </FormDialog>
  );
}
