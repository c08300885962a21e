import { useRead } from '../../api/hooks.ts';
import { useCurrentList } from '../../app/current-list.ts';
import { Problem } from '../../components/problem.tsx';
import { Loading } from '../../components/progress.tsx';
import { ListLife } from './list-life.tsx';
import { ListSettings } from './list-settings.tsx';

/** Settings of an ongoing list, and its end. */
export function ListSettingsTab() {
  const { listId } = useCurrentList();
  const list = useRead('getList', { params: { listId: listId ?? '' } });
  if (list.error !== null) return <Problem error={list.error} onRetry={() => void list.refetch()} />;
  if (list.data === undefined) return <Loading />;
  return (
    <>
      <ListSettings list={list.data} key={list.data.listId} />
      <ListLife list={list.data} />
    </>
  );
}
