import { FileSpreadsheet, Folder as FolderIcon, FolderOpen } from 'lucide';
import { useState } from 'react';
import { DropZone } from 'react-aria-components/DropZone';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { Section } from '../../components/blocks.tsx';
import { Button, Icon } from '../../components/controls.tsx';
import { csvFile, csvLines, NoTable, type NoTableKind, saveAs } from '../../components/files.ts';
import { Loading, Notice } from '../../components/status.tsx';
import { format, say } from '../../text/index.ts';
import { consentColumns, readConsentFile } from './consent-file.ts';
import type { KeptImport } from './import-store.ts';
import { type ImportPlan, planImport } from './plan-import.ts';
import {
  canPick,
  type Folder,
  MAX_FILES,
  pickFolder,
  readFiles,
  readFolder,
  readTable,
  reopen,
  UnreadableFolder,
} from './read-folder.ts';

export interface Chosen {
  readonly folder: Folder;
  readonly plan: ImportPlan;
}

type Trouble =
  | { readonly name: 'no-table'; readonly kind: NoTableKind }
  | { readonly name: 'many' | 'gone' | 'encoding' | 'large' | 'quotes' | 'empty' | 'no-folder' }
  | { readonly name: 'columns'; readonly missing: string; readonly repeated: string };

interface ChooseFolderProps {
  readonly consentVersion: string;
  readonly kept: KeptImport | null;
  readonly onChosen: (chosen: Chosen) => void;
}

/** Takes a folder of photos and a consent file; goes on by itself once it has both. */
export function ChooseFolder({ consentVersion, kept, onChosen }: ChooseFolderProps) {
  const [folder, setFolder] = useState<Folder | null>(null);
  const [isReading, setReading] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);

  async function work(read: () => Promise<void>): Promise<void> {
    setReading(true);
    setTrouble(null);
    try {
      await read();
    } catch (error) {
      if (error instanceof NoTable) setTrouble({ name: 'no-table', kind: error.kind });
      else setTrouble({ name: error instanceof UnreadableFolder ? error.reason : 'gone' });
    } finally {
      setReading(false);
    }
  }

  async function check(of: Folder, table: Blob): Promise<void> {
    const { cells, isGuess } = await readTable(table);
    const file = readConsentFile(cells, consentVersion, Date.now());
    if ('missingColumns' in file) {
      const [missing, repeated] = [file.missingColumns.join(', '), file.repeatedColumns.join(', ')];
      setTrouble({ name: 'columns', missing, repeated });
    } else if (file.rows.length === 0) setTrouble({ name: 'empty' });
    else if (isGuess && file.rows.some(({ personId }) => /[^ -~]/.test(personId))) setTrouble({ name: 'encoding' });
    else onChosen({ folder: of, plan: planImport(file.rows, of.photos) });
  }

  const take = (read: () => Promise<Folder | null>) =>
    void work(async () => {
      const taken = await read();
      if (taken === null) return;
      setFolder(taken);
      if (taken.table !== null) await check(taken, taken.table);
    });

  const takeFiles = (files: FileList | null) => {
    if (files !== null && files.length > 0) take(() => readFiles([...files]));
  };

  const saveTemplate = () => {
    const today = new Date().toISOString().slice(0, 10);
    const example = ['member-7c2e91d04ab35f68', consentVersion, today, 'yes', 'yes', 'no', '', '', ''];
    saveAs(csvFile([csvLines([consentColumns, example])]), 'consents.csv');
  };

  const keptFolder = kept?.folder ?? null;
  const kind = keptFolder === null && folder === null ? 'primary' : 'secondary';
  return (
    <Section title={say(kept === null ? 'import.title' : 'import.again')} lead={say('import.lead')}>
      <ol className="svcd-bullets svcd-import-steps">
        <li>
          <p>{say('import.step-table')}</p>
          <Button size="small" icon={FileSpreadsheet} onPress={saveTemplate} text={say('import.template')} />
        </li>
        <li>
          <p>{say('import.step-photos')}</p>
        </li>
        <li>
          <p>{say('import.step-private')}</p>
        </li>
      </ol>
      <DropZone
        className="svcd-drop"
        aria-label={say('import.drop')}
        onDrop={({ items }) => {
          const dropped = items.find((item) => item.kind === 'directory');
          if (dropped === undefined) setTrouble({ name: 'no-folder' });
          else take(() => readFolder(dropped));
        }}
      >
        <Icon of={FolderIcon} />
        {folder === null ? (
          <p>{say('import.drop')}</p>
        ) : (
          <p>{say('import.folder', { name: folder.name, photos: format.number(folder.photos.length) })}</p>
        )}
        {isReading && <Loading />}
        <div className="svcd-row">
          {keptFolder !== null && folder === null && (
            <Button
              kind="primary"
              icon={FolderOpen}
              onPress={() => take(() => reopen(keptFolder))}
              text={say('import.reopen', { name: keptFolder.name })}
            />
          )}
          {/* The browser's own dialog where there is one: its folder can be kept for going on after a restart. */}
          {canPick() ? (
            <Button kind={kind} icon={FolderOpen} onPress={() => take(pickFolder)} text={say('import.choose')} />
          ) : (
            <FileTrigger acceptDirectory onSelect={takeFiles}>
              <Button kind={kind} icon={FolderOpen} text={say('import.choose')} />
            </FileTrigger>
          )}
          {folder !== null && (
            <FileTrigger
              acceptedFileTypes={['.csv', 'text/csv']}
              onSelect={(files) => {
                const [table] = files ?? [];
                if (table !== undefined) void work(() => check(folder, table));
              }}
            >
              <Button kind="primary" icon={FileSpreadsheet} text={say('import.choose-table')} />
            </FileTrigger>
          )}
        </div>
        {folder !== null && folder.table === null && !isReading && (
          <p className="svcd-muted">{say('import.table-needed')}</p>
        )}
      </DropZone>
      {trouble !== null && (
        <Notice tone="bad" isAlert title={say(`import.bad.${trouble.name}`)}>
          <TroubleHelp of={trouble} />
        </Notice>
      )}
    </Section>
  );
}

function TroubleHelp({ of }: { readonly of: Trouble }) {
  if (of.name === 'no-table') return <p>{say(`guests.source.${of.kind}`)}</p>;
  if (of.name !== 'columns') return <p>{say(`import.bad.${of.name}.help`, { max: MAX_FILES })}</p>;
  return (
    <>
      {of.missing !== '' && <p>{say('import.bad.missing', { columns: of.missing })}</p>}
      {of.repeated !== '' && <p>{say('import.bad.repeated', { columns: of.repeated })}</p>}
    </>
  );
}
