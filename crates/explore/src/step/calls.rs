//! Calls that a subject makes, which a monitor may watch, and threads that start.

use crate::code::{CallSite, Src, register};
use crate::state::buffer::Buffer;
use crate::state::threads;
use crate::step::recorder::{Note, Recorder};
use crate::step::run::{Flow, Run, Stop};
use fencepost_harness::monitor::MonitorState;
use fencepost_lsl::value::Value;

impl<R: Recorder> Run<'_, '_, R> {
    pub(crate) fn begin(&mut self, call: u32, pc: u32) -> Result<Flow, Stop> {
        let code = self.machine.code;
        let site = &code.calls[call as usize];
        let initial = code.initial.contains(&call);
        if let Some(fixed) = site.watched.as_ref().filter(|_| !initial) {
            // Nor in a step that ended another call, which commits.
            if !self.sole && (self.began || !self.may_wait()) {
                return Ok(Flow::Pause(pc));
            }
            self.began = true;
            self.machine.looks.pure = false;
            let state = MonitorState(self.world.monitor);
            let thread = self.thread - 1;
            // A counterexample is run again without the monitor.
            if let Some(monitor) = self.machine.monitor.as_deref_mut() {
                self.world.monitor = monitor.invoke(state, thread, fixed).ok_or(Stop::Unexplained)?.0;
            }
        }
        if self.recorder.listens() {
            let args = site.args.iter().map(|src| self.value(*src)).collect();
            self.recorder.begin(self.thread, call, args);
        }
        Ok(Flow::Next)
    }

    pub(crate) fn end(&mut self, call: u32) -> Result<(), Stop> {
        let code = self.machine.code;
        let site = &code.calls[call as usize];
        let watched = site.watched.is_some() && !code.initial.contains(&call);
        if watched || self.recorder.listens() {
            let results = self.results(site);
            if self.recorder.listens() {
                self.recorder.end(self.thread, results.clone());
            }
            if watched {
                self.machine.looks.pure = false;
                self.tell(&results);
                self.commit();
                let state = MonitorState(self.world.monitor);
                let thread = self.thread - 1;
                if let Some(monitor) = self.machine.monitor.as_deref_mut() {
                    self.world.monitor = monitor.respond(state, thread, &results).ok_or(Stop::Unexplained)?.0;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn spawn(&mut self, driver: u32, args: &[Src]) -> Result<(), Stop> {
        // A monitor knows threads by their numbers, and these are those of the client's.
        if self.machine.monitor.is_some() {
            let what = "a client whose initialisation or operations start threads";
            return Err(Stop::Unsupported(what.into()));
        }
        let thread = self.world.threads.len();
        threads::room(thread, 1).map_err(Stop::Unsupported)?;
        let args: Vec<Value> = args.iter().map(|src| self.value(*src)).collect();
        for arg in &args {
            self.machine.share_word(self.world, arg.bits());
        }
        self.start(driver, &args);
        self.note(Note::Spawn(thread));
        (self.sole, self.budget) = (false, false);
        self.commit();
        Ok(())
    }

    /// Adds a thread. What was written before must be seen by it, so it may have to wait; not with a loose buffer, which only
    /// adds executions.
    fn start(&mut self, driver: u32, args: &[Value]) {
        let thread = self.world.threads.len();
        self.machine.looks.pure = false;
        let waits = !self.buffer.entries().is_empty();
        self.machine.add_thread(self.world, driver, args, waits);
        if let (true, Buffer::Exact(buffer)) = (waits, &mut self.buffer) {
            buffer.push_start(thread);
            self.buffer_changed = true;
            self.recorder.queue_start(self.thread);
        }
    }

    pub(crate) fn launch(&mut self, drivers: &[u32]) -> Result<(), Stop> {
        let code = self.machine.code;
        if self.machine.monitor.is_some() {
            let mut initial = Vec::new();
            for call in &code.initial {
                let site = &code.calls[*call as usize];
                let values = self.results(site);
                self.tell(&values);
                initial.extend(site.watched.clone().map(|fixed| (fixed, values)));
            }
            let state = self.machine.monitor.as_deref_mut().and_then(|monitor| monitor.start(&initial));
            self.world.monitor = state.ok_or(Stop::Unexplained)?.0;
        }
        threads::room(self.world.threads.len(), drivers.len()).map_err(Stop::Unsupported)?;
        for driver in drivers {
            self.start(*driver, &[]);
        }
        (self.sole, self.budget) = (false, false);
        self.commit();
        Ok(())
    }

    /// What a call gave back.
    fn results(&self, site: &CallSite) -> Vec<Value> {
        site.results.iter().map(|reg| self.value(register(*reg))).collect()
    }

    /// A monitor is told of values.
    fn tell(&mut self, values: &[Value]) {
        self.machine.watch(self.world, |alike, forms, lay| {
            alike.observed(values.iter().copied());
            forms.told(lay, values)
        });
    }
}
