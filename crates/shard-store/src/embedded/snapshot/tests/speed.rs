use super::super::super::disk::{Disk, DiskFile, LocalDisk};
use super::super::*;
use super::given::{gifts, gifts_head};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
struct Count(u64, u64);
impl PartVisitor for Count {
    fn head(&mut self, _: &PartHead) -> Result<(), Refusal> {
        Ok(())
    }
    fn watermarks(&mut self, _: &Watermarks) -> Result<(), Refusal> {
        Ok(())
    }
    fn ids_generation(&mut self, _: Timestamp, _: u64) -> Result<(), Refusal> {
        Ok(())
    }
    fn id(&mut self, id: [u32; 4]) -> Result<(), Refusal> {
        self.1 += u64::from(id[0]);
        Ok(())
    }
    fn window(&mut self, _: &WindowHead) -> Result<(), Refusal> {
        Ok(())
    }
    fn row(&mut self, m: &[u8], w: &[u64]) -> Result<(), Refusal> {
        self.0 += 1;
        self.1 = self.1.wrapping_add(w[0] ^ u64::from(m[0]));
        Ok(())
    }
    fn end(&mut self) -> Result<(), Refusal> {
        Ok(())
    }
}
#[derive(Debug)]
struct Null(AtomicU64);
impl DiskFile for std::sync::Arc<Null> {
    fn size(&self) -> io::Result<u64> {
        Ok(0)
    }
    fn read_at(&self, _: &mut [u8], _: u64) -> io::Result<usize> {
        Ok(0)
    }
    fn write_at(&self, b: &[u8], _: u64) -> io::Result<()> {
        self.0.fetch_add(b.len() as u64, Ordering::Relaxed);
        Ok(())
    }
    fn set_size(&self, _: u64) -> io::Result<()> {
        Ok(())
    }
    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}
#[derive(Debug, Default)]
struct NullDisk;
impl Disk for NullDisk {
    fn path(&self) -> &Path {
        Path::new("null")
    }
    fn list(&self) -> io::Result<Vec<String>> {
        Ok(vec![])
    }
    fn open(&self, _: &str) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(std::sync::Arc::new(Null(AtomicU64::new(0)))))
    }
    fn create(&self, n: &str) -> io::Result<Box<dyn DiskFile>> {
        self.open(n)
    }
    fn rename(&self, _: &str, _: &str) -> io::Result<()> {
        Ok(())
    }
    fn remove(&self, _: &str) -> io::Result<()> {
        Ok(())
    }
    fn sync_folder(&self) -> io::Result<()> {
        Ok(())
    }
}
fn write(disk: &dyn Disk, members: &[String]) -> u64 {
    let mut w = SnapshotWriter::create(disk, 1).unwrap();
    w.add_kind(&gifts());
    for part in 0..16u16 {
        w.begin_part(&gifts_head("hall", 16, part)).unwrap();
        w.ids_generation(Timestamp::from_millis(0), 100).unwrap();
        for i in 0..100 {
            w.id([i, 2, 3, 4]).unwrap();
        }
        for (k, period) in board::Period::ALL_PERIODS.into_iter().enumerate() {
            let rows = &members[usize::from(part) * members.len() / 16
                ..(usize::from(part) + 1) * members.len() / 16];
            w.window(&WindowHead {
                window: Window::starting_at(period, Timestamp::from_millis(1_795_186_800_000)),
                counter: k as u64,
                digest: 1,
                rows: rows.len() as u64,
            })
            .unwrap();
            for (i, m) in rows.iter().enumerate() {
                w.row(
                    m.as_bytes(),
                    &[
                        (i as u64 * 37) % 5000,
                        1_795_186_342_123 * 2 + 1 - i as u64 * 1000,
                    ],
                )
                .unwrap();
            }
        }
        w.end_part().unwrap();
    }
    w.finish([]).unwrap()
}
#[test]
#[ignore]
fn speed() {
    let members: Vec<String> = (0..1_000_000u64)
        .map(|i| format!("user-{:06}", i * 7919 % 1_000_000))
        .collect();
    let rows = 5e6;
    for _ in 0..3 {
        let t = Instant::now();
        let bytes = write(&NullDisk, &members);
        println!(
            "write to nothing: {:.1} ns a row, {:.1} bytes a row",
            t.elapsed().as_nanos() as f64 / rows,
            bytes as f64 / rows
        );
    }
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let disk = LocalDisk::open(folder.path()).unwrap();
    for _ in 0..3 {
        let t = Instant::now();
        let bytes = write(&disk, &members);
        println!(
            "write to disk: {:.2} s, {:.1} MB, {:.1} ns a row",
            t.elapsed().as_secs_f64(),
            bytes as f64 / 1e6,
            t.elapsed().as_nanos() as f64 / rows
        );
        let t = Instant::now();
        let reader = SnapshotReader::open(&disk, &list(&disk).unwrap()[0]).unwrap();
        let mut c = Count(0, 0);
        for u in 0..reader.units() {
            reader.read_unit(u, &mut c).unwrap();
        }
        assert_eq!(c.0, 5_000_000);
        println!(
            "read one thread: {:.1} ns a row ({} units)",
            t.elapsed().as_nanos() as f64 / rows,
            reader.units()
        );
        let t = Instant::now();
        std::thread::scope(|s| {
            for k in 0..2 {
                let reader = &reader;
                s.spawn(move || {
                    let mut c = Count(0, 0);
                    for u in (k..reader.units()).step_by(2) {
                        reader.read_unit(u, &mut c).unwrap();
                    }
                });
            }
        });
        println!(
            "read two threads: {:.1} ns a row",
            t.elapsed().as_nanos() as f64 / rows
        );
    }
}
