import type { ServiceStep } from './history.ts';
import { personOf } from './people.ts';
import { FACES, type SimulatedService } from './simulated-service.ts';

/** What somebody does to the service. */
export async function carryOutAtService(service: SimulatedService, step: ServiceStep): Promise<void> {
  switch (step.do) {
    case 'enrol':
      return service.enrol(step.list, personOf(step.person), step.face % FACES);
    case 'erase':
      return service.erase(step.list, personOf(step.person));
    case 'close':
      return service.close(step.list);
    case 'end':
      return service.end(step.list);
    case 'delete-list':
      return service.deleteList(step.list);
    case 'create-list':
      return service.createList(step.account, step.endsInMs);
    case 'move-end':
      return service.moveEnd(step.list, step.endsInMs);
    case 'suspend':
      return service.suspend(step.account);
    case 'resume':
      return service.resume(step.account);
    case 'run-jobs':
      return service.runJobs();
    case 'restart-service':
      return service.restart();
    case 'upgrade-service':
      return service.restart(true);
    case 'rotate-kek':
      return service.rotateKek();
    case 'back-up':
      return service.backUp();
    case 'restore':
      return service.restore(step.backup);
  }
}
